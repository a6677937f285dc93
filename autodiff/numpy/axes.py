"""Axes as the primitives name them: negative, counted from the end."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from autodiff.trace.source import at_user_line

Axes = tuple[int, ...]


def negative_axes(axis: Any, ndim: int) -> Axes:
    """All axes for None, else the given ones, sorted.

    Raises:
        AxisError: if an axis does not exist.
        ValueError: if an axis is named twice.
    """
    if axis is None:
        return tuple(range(-ndim, 0))
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis if axis < 0 else axis - ndim,)
    if ndim == 0 and isinstance(axis, (int, np.integer)) and axis in (0, -1):
        return ()  # NumPy lets a reduction of a number name its axis 0
    try:
        return tuple(sorted(k - ndim for k in normalize_axis_tuple(axis, ndim)))
    except AxisError as error:
        raise explained(error, ndim) from None


def existing_axes(axis: Any, ndim: int) -> Axes:
    """The same for functions that are no plain reductions: a number has no axis that could be named.

    Raises:
        AxisError: if an axis does not exist.
        ValueError: if an axis is named twice.
    """
    return (
        (negative_axis(axis, ndim),) if ndim == 0 and isinstance(axis, (int, np.integer)) else negative_axes(axis, ndim)
    )


def negative_axis(axis: Any, ndim: int) -> int:
    """One axis.

    Raises:
        AxisError: if it does not exist.
    """
    try:
        return int(normalize_axis_index(axis, ndim)) - ndim
    except AxisError as error:
        raise explained(error, ndim) from None


def only_axis(axis: Any) -> int:
    """The axis of a function that goes along one axis, which may stand in a tuple.

    Raises:
        ValueError: if the tuple holds several.
    """
    if not isinstance(axis, tuple):
        return operator.index(axis)
    if len(axis) != 1:
        raise ValueError(f"accumulate does not allow multiple axes, got axis={axis}{at_user_line()}")
    return operator.index(axis[0])


def explained(error: AxisError, ndim: int) -> AxisError:
    """NumPy's error with the user's line and the axes that there are."""
    choice = f"choose from {-ndim} to {ndim - 1}" if ndim else "leave the axis away"
    return AxisError(f"{error}{at_user_line()}; {choice}")
