"""The larger of two numbers."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import broadcastable
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import where


def maximum(x1: Any, x2: Any) -> Variable:
    """The larger of two numbers, element by element.

    Args:
        x1: floating-point numbers.
        x2: numbers of the same dtype, of a shape that broadcasts with that of ``x1``.

    Returns:
        NaN where one of the two is NaN. Of two equal numbers the first gets the derivative.

    Raises:
        InvalidType: if dtypes or shapes do not fit.

    >>> import numpy as np
    >>> maximum(np.array([1.0, 5.0]), np.array([3.0, 4.0]))
    variable([3., 5.])
    """
    return apply(
        "Maximum",
        lambda x1, x2: where((x1 >= x2) | (x1 != x1), x1, x2),
        (x1, x2),
        lambda x1, x2: (x1.dtype.kind == "f", x1.dtype == x2.dtype, broadcastable(x1.shape, x2.shape)),
    )


Maximum = function_class("Maximum", maximum)
