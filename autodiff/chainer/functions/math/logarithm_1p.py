"""The logarithm of one plus x."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def log1p(x: Any) -> Variable:
    """log(1 + x), exact for small x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> log1p(np.array([0.0, 1e-20]))
    variable([0.e+00, 1.e-20])
    """
    return direct("log1p", np.log1p, x)


Log1p = function_class("Log1p", log1p, label="log1p")
