"""The rectifier with a leak."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import floating
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import where


def leaky_relu(x: Any, slope: float = 0.2) -> Variable:
    """x where it is positive, slope x elsewhere.

    Args:
        x: floating-point numbers of any shape.
        slope: the factor of numbers that are not positive.

    Returns:
        an array of that shape. The derivative at 0 is ``slope``.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> leaky_relu(np.array([-2.0, 3.0]))
    variable([-0.4,  3. ])
    """
    slope = float(slope)
    return apply("LeakyReLU", lambda x: x * where(x <= 0, x.dtype.type(slope), x.dtype.type(1)), (x,), floating)


LeakyReLU = function_class("LeakyReLU", leaky_relu, "slope=0.2")
