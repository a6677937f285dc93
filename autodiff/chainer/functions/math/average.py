"""Means."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.array.broadcast import broadcast_to
from autodiff.chainer.functions.array.reshape import reshape
from autodiff.chainer.functions.axes import axes_of
from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.conditions import has_axes
from autodiff.chainer.functions.function_class import function_class, inputs_of, shape_of_result
from autodiff.chainer.functions.math.sum import sum as total
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_variable
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced


def average(x: Any, axis: Any = None, weights: Any = None, keepdims: bool = False) -> Variable:
    """The mean, or the weighted mean, along axes.

    Args:
        x: floating-point numbers.
        axis: an axis, a tuple of axes, or None for all.
        weights: one weight for each place along the axis, or for each element where the axis is None.
        keepdims: whether the axes stay, with length one.

    Raises:
        TypeError: if the axis is neither None, nor an int, nor a tuple of ints.
        ValueError: if an axis is there twice, or several are given together with weights.
        InvalidType: if dtypes or shapes do not fit, or there is no such axis.

    >>> average(np.array([1.0, 4.0]), weights=np.array([2.0, 1.0]))
    variable(2.)
    """
    axes = axes_of(axis)
    if weights is not None:
        return weighted(x, axis, axes, weights, keepdims)
    return apply(
        "Mean",
        lambda x: np.mean(x, axis=axes, keepdims=keepdims),
        (x,),
        lambda x: (x.dtype.kind == "f", *has_axes(x, axes)),
    )


def weighted(x: Any, axis: Any, axes: tuple[int, ...] | None, weights: Any, keepdims: bool) -> Variable:
    """The sum of products with weights, divided by the sum of the weights."""
    if axes is not None and len(axes) > 1:
        raise ValueError(f"tuple axis is not supported when weights is given{at_user_line()}")
    x, weights = (value if hasattr(value, "shape") else beside(x, value) for value in (x, weights))
    if is_array(x) and not isinstance(x, Traced):
        x = as_variable(x)
    if axes is not None:
        lengths = [1] * x.ndim
        if -x.ndim <= axes[0] < x.ndim:
            lengths[axes[0]] = x.shape[axes[0]]
        weights = reshape(weights, tuple(lengths))
    weights = broadcast_to(weights, x.shape)
    weight = total(weights, axes, keepdims)
    return total(x * weights, axes, keepdims) / weight


mean = average


def weight_of_one(self: Any) -> float:
    """By what the sum was multiplied."""
    return float(np.prod(shape_of_result(self)) / np.prod(inputs_of(self)[0].shape))


Mean = function_class(
    "Mean",
    lambda x, axis, keepdims: average(x, axis, None, keepdims),
    "axis, keepdims",
    computed={"axis": lambda self: self.axes, "multiplier": weight_of_one},
)
