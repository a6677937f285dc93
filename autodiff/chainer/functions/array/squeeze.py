"""Axes of length one removed."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import axes_of
from autodiff.chainer.functions.conditions import has_signed_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.shape import reshape


def squeeze(x: Any, axis: Any = None) -> Variable:
    """The array without axes of length one.

    Args:
        x: any array.
        axis: the axis, or a tuple of axes, to remove; all of length one if None.

    Raises:
        TypeError: if the axis is neither None, nor an int, nor a tuple of ints.
        ValueError: if such an axis is longer.
        InvalidType: if there is no such axis.

    >>> squeeze(np.ones((1, 3, 1)), axis=0).shape
    (3, 1)
    """
    axes = axes_of(axis)
    return apply(
        "Squeeze",
        lambda x: squeezed(x, axes),
        (x,),
        lambda *in_types: tuple(has_signed_axis(in_types[0], each) for each in axes or ()),
    )


def squeezed(x: Any, axes: tuple[int, ...] | None) -> Any:
    """The array without the axes; NumPy says what is wrong with them."""
    shape = x.shape
    removed = {k for k, length in enumerate(shape) if length == 1} if axes is None else {k % len(shape) for k in axes}
    if any(shape[k] != 1 for k in removed) or len(removed) < len(axes or ()):
        return np.squeeze(x, axes)
    return reshape(x, shape=tuple(length for k, length in enumerate(shape) if k not in removed))


Squeeze = function_class("Squeeze", squeeze, "axis=None", computed={"axis": lambda self: self.axes})
