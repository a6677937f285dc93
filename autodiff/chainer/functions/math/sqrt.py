"""Square roots."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def sqrt(x: Any) -> Variable:
    """The square root, element by element; its derivative at 0 is inf.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> sqrt(np.array([4.0, 9.0]))
    variable([2., 3.])
    """
    return direct("sqrt", np.sqrt, x)


def rsqrt(x: Any) -> Variable:
    """One divided by the square root, element by element.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> rsqrt(np.array([4.0, 16.0]))
    variable([0.5 , 0.25])
    """
    return 1.0 / sqrt(x)


Sqrt = function_class("Sqrt", sqrt, label="sqrt")
