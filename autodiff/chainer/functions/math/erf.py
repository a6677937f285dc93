"""The error function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def erf(x: Any) -> Variable:
    """2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> erf(np.array([0.0, 1.0]))
    variable([0.        , 0.84270079])
    """
    return special("erf", "erf", x)


Erf = function_class("Erf", erf, label="erf")
