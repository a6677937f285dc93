"""Products summed over axes of two arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

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
