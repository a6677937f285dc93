"""The logistic sigmoid."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.direct import direct, short
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import logistic

shares = short(logistic)


def sigmoid(x: Any) -> Variable:
    """1 / (1 + exp(-x)), element by element.

    Args:
        x: floating-point numbers of any shape.

    Returns:
        numbers between 0 and 1.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> sigmoid(np.array([0.0, np.log(3.0)]))
    variable([0.5 , 0.75])
    """
    return direct("Sigmoid", shares, x)


Sigmoid = function_class("Sigmoid", sigmoid, of_outputs=lambda self, y, gy: gy * y * (1 - y))
