"""New axes."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.shape import reshape


def expand_dims(x: Any, axis: int) -> Variable:
    """A new axis of length one.

    Args:
        x: any array.
        axis: where the new axis stands in the result.

    Raises:
        InvalidType: if it cannot stand there.

    >>> import numpy as np
    >>> expand_dims(np.array([1.0, 2.0]), 0)
    variable([[1., 2.]])
    """
    axis = int(axis)
    return apply(
        "ExpandDims",
        lambda x: reshape(x, shape=with_axis(x.shape, axis)),
        (x,),
        lambda x: x.ndim >= (axis if axis >= 0 else -axis - 1),
    )


def with_axis(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """The shape with one more axis, of length one."""
    place = axis if axis >= 0 else axis + len(shape) + 1
    return (*shape[:place], 1, *shape[place:])


ExpandDims = function_class("ExpandDims", expand_dims, "axis")
