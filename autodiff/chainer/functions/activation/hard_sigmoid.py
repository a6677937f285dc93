"""A sigmoid of three straight pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import floating
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def hard_sigmoid(x: Any) -> Variable:
    """0.2 x + 0.5, kept within 0 and 1.

    Args:
        x: floating-point numbers of any shape.

    Returns:
        an array of that shape. The derivative at the corners, -2.5 and 2.5, is 0.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> hard_sigmoid(np.array([-3.0, 0.0, 1.0, 3.0]))
    variable([0. , 0.5, 0.7, 1. ])
    """
    return apply("HardSigmoid", lambda x: np.where(x <= -2.5, 0, np.where(x >= 2.5, 1, 0.2 * x + 0.5)), (x,), floating)


HardSigmoid = function_class("HardSigmoid", hard_sigmoid)
