"""The rectifier."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.direct import direct, short
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable
from autodiff.ops.rectifier import rectifier

rectified = short(rectifier)


def relu(x: Any) -> Variable:
    """max(x, 0), element by element.

    Args:
        x: floating-point numbers of any shape.

    Returns:
        an array of that shape. The derivative at 0 is 0.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> relu(np.array([-2.0, 3.0]))
    variable([0., 3.])
    """
    return direct("ReLU", rectified, x)


ReLU = function_class("ReLU", relu, of_outputs=lambda self, y, gy: gy * (y.array > 0))
