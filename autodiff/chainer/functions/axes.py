"""Axes as arguments: one, several, or None for all."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from autodiff.trace.source import at_user_line


def axes_of(axis: Any) -> tuple[int, ...] | None:
    """The axes as a tuple, None for all.

    Raises:
        TypeError: if it is neither None, nor an int, nor a tuple of ints.
        ValueError: if an axis is there twice.

    >>> axes_of(1), axes_of((0, -1)), axes_of(None)
    ((1,), (0, -1), None)
    """
    if axis is None:
        return None
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not all(isinstance(each, Integral) for each in axes):
        raise TypeError(f"None, int or tuple of int are required, got {axis!r} as an axis{at_user_line()}")
    if len(set(axes)) != len(axes):
        raise ValueError(f"duplicate value in axis: {axis}{at_user_line()}")
    return tuple(map(int, axes))


def one_axis(axis: Any, allowed: str = "int") -> int:
    """An axis as an int.

    Raises:
        TypeError: if it is none.
    """
    if not isinstance(axis, Integral):
        raise TypeError(f"axis must be {allowed}, got {axis!r}{at_user_line()}")
    return int(axis)
