"""The exponential minus one."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def expm1(x: Any) -> Variable:
    """exp(x) - 1, exact for small x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> expm1(np.array([0.0, 1e-20]))
    variable([0.e+00, 1.e-20])
    """
    return direct("expm1", np.expm1, x)


Expm1 = function_class("Expm1", expm1, label="expm1")
