"""Products summed over axes of two arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class, inputs_of
from autodiff.chainer.functions.shown_attributes import always
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def tensordot(a: Any, b: Any, axes: Any = 2) -> Variable:
    """The products of all elements of two arrays, summed over pairs of axes.

    Args:
        a: floating-point numbers.
        b: floating-point numbers.
        axes: how many last axes of ``a`` and first ones of ``b`` are summed; or a pair of axes, or of sequences
            of axes, of ``a`` and of ``b``.

    Returns:
        an array with the other axes of ``a`` followed by those of ``b``.

    Raises:
        TypeError: if ``axes`` is something else.
        ValueError: if the axes do not fit.
        InvalidType: if the numbers are no floating-point numbers.

    >>> tensordot(np.ones((2, 3)), np.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    if not isinstance(axes, (int, np.integer)) and not (isinstance(axes, (tuple, list)) and len(axes) == 2):
        raise TypeError(f"axes must be a pair of sequence of integers or an integer, got {axes!r}{at_user_line()}")
    if isinstance(axes, (int, np.integer)) and axes > min(a.ndim, b.ndim):
        raise ValueError(
            f"axes is {axes}, but the arrays have {a.ndim} and {b.ndim} axes{at_user_line()}; "
            "sum at most as many as both have"
        )
    pairs: Any = axes
    return apply(
        "TensorDot",
        lambda a, b: np.tensordot(a, b, axes=pairs),
        (a, b),
        lambda a, b: (a.dtype.kind == "f", b.dtype.kind == "f"),
    )


def sums_over(place: int) -> Callable[[Any], Any]:
    """What computes the axes of an operand that are summed over, counted from the first."""

    def axes(self: Any) -> list[int]:
        ndim = len(inputs_of(self)[place].shape)
        if isinstance(self.pairs, (int, np.integer)):
            return list(range(ndim - int(self.pairs), ndim) if place == 0 else range(int(self.pairs)))
        given = self.pairs[place]
        return [int(axis) % ndim for axis in np.ravel(given)]

    return axes


def groups_of_axes(place: int) -> Callable[[Any], Any]:
    """What computes the axes of an operand: those that stay, and those that are summed over, in the product's order."""

    def groups(self: Any) -> list[list[int]]:
        summed = sums_over(place)(self)
        stay = [axis for axis in range(len(inputs_of(self)[place].shape)) if axis not in summed]
        return [stay, summed] if place == 0 else [summed, stay]

    return groups


TensorDot = function_class(
    "TensorDot",
    lambda a, b, axes, **_: tensordot(a, b, axes),
    "axes=2, a_axes=None, b_axes=None, c_axes=None, dtype=None",
    computed={
        "axes": lambda self: (sums_over(0)(self), sums_over(1)(self)),
        "a_axes": groups_of_axes(0),
        "b_axes": groups_of_axes(1),
        "dtype": always(None),
    },
)
