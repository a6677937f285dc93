"""The inverse hyperbolic tangent."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def arctanh(x: Any) -> Variable:
    """The inverse hyperbolic tangent of numbers in (-1, 1).

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> arctanh(np.array([0.0]))
    variable([0.])
    """
    return direct("Arctanh", np.arctanh, x)


Arctanh = function_class("Arctanh", arctanh)
