"""The inverse of the error function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def erfinv(x: Any) -> Variable:
    """The number whose :func:`erf` is x, for x in (-1, 1).

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> erfinv(np.array([0.0, 0.5]))
    variable([0.        , 0.47693628])
    """
    return special("erfinv", "erfinv", x)


ErfInv = function_class("ErfInv", erfinv, label="erfinv")
