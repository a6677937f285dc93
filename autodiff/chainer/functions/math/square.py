"""The square."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def square(x: Any) -> Variable:
    """x times x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> square(np.array([-3.0, 2.0]))
    variable([9., 4.])
    """
    return direct("square", np.square, x)


Square = function_class("Square", square, label="square")
