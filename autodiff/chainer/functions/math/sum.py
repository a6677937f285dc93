"""Sums."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import axes_of
from autodiff.chainer.functions.conditions import has_axes
from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import from_first, function_class, parameter, shape_of_result
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_variable
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.ops.shape import sum_to as summed_to
from autodiff.trace.traced import Traced


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Variable:
    """The sum along axes.

    Args:
        x: floating-point numbers.
        axis: an axis, a tuple of axes, or None for all.
        keepdims: whether the axes stay, with length one.

    Raises:
        TypeError: if the axis is neither None, nor an int, nor a tuple of ints.
        ValueError: if an axis is there twice.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> sum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    variable([4., 6.])
    """
    axes = axes_of(axis)
    fun = partial(np.sum, axis=axes, keepdims=keepdims)

    def check(x: Any) -> Any:
        return (x.dtype.kind == "f", *has_axes(x, axes))

    return apply("Sum", fun, (x,), check) if keepdims else direct("Sum", fun, x, check)


def sum_to(x: Any, shape: tuple[int, ...]) -> Variable:
    """The sum along the axes by which an array of the given shape would be broadcast: the transpose of that.

    Args:
        x: numbers.
        shape: the shape of the result; it broadcasts to that of ``x``.

    Raises:
        ValueError: if it does not.

    >>> sum_to(np.array([[1.0, 2.0], [3.0, 4.0]]), (1, 2))
    variable([[4., 6.]])
    """
    shape = tuple(shape)
    if x.shape == shape:
        return as_variable(x) if isinstance(x, Variable) or (is_array(x) and not isinstance(x, Traced)) else x
    if not stretches(shape, x.shape):
        raise ValueError(f"an array of shape {x.shape} cannot be summed to {shape}; the new shape must broadcast to it")
    return apply("SumTo", lambda x: summed_to(x, shape), (x,))


def stretches(shape: tuple[int, ...], larger: tuple[int, ...]) -> bool:
    """Whether an array of a shape can be broadcast to the other shape."""
    own = (1,) * (len(larger) - len(shape)) + shape
    return len(own) == len(larger) and all(length in (1, other) for length, other in zip(own, larger, strict=True))


Sum = function_class(
    "Sum",
    sum,
    "axis=None, keepdims=False",
    computed={"axis": lambda self: from_first(self, parameter(self, "axes", 1)), "keepdims": lambda self: False},
)
SumTo = function_class("SumTo", sum_to, "shape", computed={"_shape": shape_of_result})
