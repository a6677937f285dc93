"""Extreme elements and where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.axes import axes_of, one_axis
from autodiff.chainer.functions.conditions import has_axes, has_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.numpy.axes import negative_axes
from autodiff.ops.elementwise import where
from autodiff.ops.shape import reshape, sum_axes
from autodiff.trace.errors import OperandError
from autodiff.trace.source import at_user_line
from autodiff.transforms.stop_gradient import stop_gradient


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Variable:
    """The largest element along axes.

    Args:
        x: floating-point numbers.
        axis: an axis, a tuple of axes, or None for all.
        keepdims: whether the axes stay, with length one.

    Returns:
        the largest elements. Equal ones get the whole derivative each; infinite ones share it.

    Raises:
        TypeError: if the axis is neither None, nor an int, nor a tuple of ints.
        ValueError: if an axis is there twice.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> max(np.array([[1.0, 5.0], [3.0, 2.0]]), axis=1)
    variable([5., 3.])
    """
    return extreme("Max", np.max, x, axis, keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Variable:
    """The smallest element along axes.

    Args:
        x: floating-point numbers.
        axis: an axis, a tuple of axes, or None for all.
        keepdims: whether the axes stay, with length one.

    Returns:
        the smallest elements. Equal ones get the whole derivative each; infinite ones share it.

    Raises:
        TypeError: if the axis is neither None, nor an int, nor a tuple of ints.
        ValueError: if an axis is there twice.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> min(np.array([[1.0, 5.0], [3.0, 2.0]]), axis=1)
    variable([1., 2.])
    """
    return extreme("Min", np.min, x, axis, keepdims)


def extreme(label: str, reduce: Callable[..., Any], x: Any, axis: Any, keepdims: bool) -> Variable:
    """The largest or the smallest elements."""
    axes = axes_of(axis)

    def fun(x: Any) -> Any:
        if 0 in (x.shape if axes is None else [x.shape[axis] for axis in axes]):
            raise OperandError(
                f"{label} of an array of shape {x.shape}{at_user_line()}: along an axis of length 0 there is no element"
            )
        value = reduce(stop_gradient(x), axis=axes, keepdims=True)
        if type(value) is np.ndarray and np.isfinite(value).all():
            zeros = sum_axes(where(x == value, x - value, 0), axes=negative_axes(axes, len(x.shape)))
            return reshape(zeros, shape=value.shape) + value if keepdims else zeros + value.reshape(zeros.shape)
        out = reduce(x, axis=axes, keepdims=True)
        finite = np.isfinite(value)
        safe = np.where(finite, value, 0)
        each = np.sum(np.where((x == value) & finite, x, safe) - safe, axis=axes, keepdims=True)  # zeros
        whole = np.where(finite, safe + each, out)
        return whole if keepdims else np.squeeze(whole, axis=axes)

    return apply(label, fun, (x,), lambda x: (x.dtype.kind == "f", *has_axes(x, axes)))


def argmax(x: Any, axis: int | None = None) -> Variable:
    """The position of the first largest element along an axis.

    Args:
        x: floating-point numbers.
        axis: the axis; None counts through all elements.

    Returns:
        positions, of dtype int32; no gradient flows.

    Raises:
        TypeError: if the axis is neither None nor an int.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> argmax(np.array([[1.0, 5.0], [3.0, 2.0]]), axis=1)
    variable([1, 0])
    """
    return position("ArgMax", np.argmax, x, axis)


def argmin(x: Any, axis: int | None = None) -> Variable:
    """The position of the first smallest element along an axis.

    Args:
        x: floating-point numbers.
        axis: the axis; None counts through all elements.

    Returns:
        positions, of dtype int32; no gradient flows.

    Raises:
        TypeError: if the axis is neither None nor an int.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> argmin(np.array([[1.0, 5.0], [3.0, 2.0]]), axis=1)
    variable([0, 1])
    """
    return position("ArgMin", np.argmin, x, axis)


def position(label: str, find: Callable[..., Any], x: Any, axis: int | None) -> Variable:
    """Where the extreme elements are."""
    where = None if axis is None else one_axis(axis, "None or int")
    return apply(
        label,
        lambda x: get_array_module(x).asarray(find(x, axis=where), np.int32),
        (x,),
        lambda *in_types: (
            in_types[0].dtype.kind == "f",
            *(() if where is None else (has_axis(in_types[0], where),)),
        ),
    )


Max = function_class("Max", max, "axis=None, keepdims=False", computed={"axis": lambda self: self.axes})
Min = function_class("Min", min, "axis=None, keepdims=False", computed={"axis": lambda self: self.axes})
ArgMax = function_class("ArgMax", argmax, "axis=None", computed={"axis": lambda self: self.where})
ArgMin = function_class("ArgMin", argmin, "axis=None", computed={"axis": lambda self: self.where})
