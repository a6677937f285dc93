"""Arrays along a new axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.conditions import demand_some
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.join import stack as side_by_side


def stack(xs: Sequence[Any], axis: int = 0) -> Variable:
    """Arrays of one shape along a new axis.

    Args:
        xs: arrays of one shape and dtype.
        axis: the new axis.

    Raises:
        TypeError: if the axis is no int.
        InvalidType: if dtypes or shapes differ, there is no such axis, or no array.

    >>> import numpy as np
    >>> stack((np.array([1.0, 2.0]), np.array([3.0, 4.0])), axis=1)
    variable([[1., 3.],
              [2., 4.]])
    """
    arrays = tuple(xs)
    axis = one_axis(axis)
    demand_some("Stack", arrays)

    def fun(*xs: Any) -> Any:
        return side_by_side(*xs, axis=axis if axis < 0 else axis - len(xs[0].shape) - 1)

    return apply("Stack", fun, arrays, lambda *in_types: alike(in_types, axis))


def alike(in_types: Sequence[Any], axis: int) -> Any:
    """Whether dtypes and shapes are equal, and a new axis can be there."""
    first, *others = in_types
    conditions = [first.ndim >= axis if axis >= 0 else -first.ndim - 1 <= axis]
    for other in others:
        conditions += [other.dtype == first.dtype, other.shape == first.shape]
    return tuple(conditions)


Stack = function_class("Stack", stack, "axis", of_list=True)
