"""Hyperbolic functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def cosh(x: Any) -> Variable:
    """The hyperbolic cosine.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> cosh(np.array([0.0]))
    variable([1.])
    """
    return direct("cosh", np.cosh, x)


def sinh(x: Any) -> Variable:
    """The hyperbolic sine.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> sinh(np.array([0.0]))
    variable([0.])
    """
    return direct("sinh", np.sinh, x)


Cosh = function_class("Cosh", cosh, label="cosh")
Sinh = function_class("Sinh", sinh, label="sinh")
