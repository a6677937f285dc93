"""The hyperbolic tangent."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def tanh(x: Any) -> Variable:
    """The hyperbolic tangent, element by element.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> tanh(np.array([0.0, 1.0]))
    variable([0.        , 0.76159416])
    """
    return direct("Tanh", np.tanh, x)


Tanh = function_class("Tanh", tanh, of_outputs=lambda self, y, gy: gy * (1 - y * y))
