"""Elements repeated."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def repeat(x: Any, repeats: int | tuple[int, ...], axis: int | None = None) -> Variable:
    """Each element several times in a row, along an axis.

    Args:
        x: any array.
        repeats: how often: a number, or one for each place along the axis.
        axis: the axis; None runs through all elements, and the result has one axis.

    Raises:
        TypeError: if ``repeats`` is neither an int nor a tuple of ints, or the axis no int.
        ValueError: if a number is negative.

    >>> repeat(np.array([1.0, 2.0]), (1, 3))
    variable([1., 2., 2., 2.])
    """
    counts = counted(repeats, "repeats must be int or tuple of ints", "all elements in repeats must be zero or larger")
    if isinstance(axis, bool):
        raise TypeError(f"axis must be int or None, got {axis}{at_user_line()}")
    if axis is not None:
        axis = one_axis(axis, "int or None")
    counts = counts[0] if len(counts) == 1 else np.array(counts, int)
    return apply("Repeat", lambda x: np.repeat(x, counts, axis), (x,))


def counted(numbers: Any, kind: str, sign: str) -> Any:
    """The numbers as a tuple.

    Raises:
        TypeError: if they are no ints.
        ValueError: if one is negative.
    """
    several = numbers if isinstance(numbers, tuple) else (numbers,)
    if not all(isinstance(number, Integral) for number in several):
        raise TypeError(f"{kind}, got {numbers!r}{at_user_line()}")
    if any(number < 0 for number in several):
        raise ValueError(f"{sign}, got {numbers!r}{at_user_line()}")
    return tuple(map(int, several))


def counts_of(self: Any) -> tuple[int, ...]:
    """How often each element is there."""
    return tuple(np.ravel(self.counts).tolist())


Repeat = function_class("Repeat", repeat, "repeats, axis=None", computed={"repeats": counts_of})
