"""Axes of length one removed."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import axes_of
from autodiff.chainer.functions.conditions import has_signed_axis
from autodiff.facade.applying import apply
from autodiff.facade.variable import Variable


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
        lambda x: np.squeeze(x, axes),
        (x,),
        lambda *in_types: tuple(has_signed_axis(in_types[0], each) for each in axes or ()),
    )
