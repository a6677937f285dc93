"""The logarithm of the distribution function of the normal distribution."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import all_floating
from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def log_ndtr(x: Any) -> Variable:
    """log(ndtr(x)), exact for very negative x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> log_ndtr(np.array([0.0, -40.0]))
    variable([-6.93147181e-01, -8.04608442e+02])
    """
    return special("log_ndtr", "log_ndtr", x, all_floating)


LogNdtr = function_class("LogNdtr", log_ndtr, label="log_ndtr")
