"""Axes as the primitives name them: negative, counted from the end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

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
    return tuple(sorted(k - ndim for k in normalize_axis_tuple(axis, ndim)))


def negative_axis(axis: Any, ndim: int) -> int:
    """One axis.

    Raises:
        AxisError: if it does not exist.
    """
    return int(normalize_axis_index(axis, ndim)) - ndim
