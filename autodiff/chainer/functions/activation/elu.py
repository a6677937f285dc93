"""The exponential linear unit."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import floating
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import where


def elu(x: Any, alpha: float = 1.0) -> Variable:
    """x where it is positive, alpha (exp(x) - 1) elsewhere.

    Args:
        x: floating-point numbers of any shape.
        alpha: minus the value at minus infinity.

    Returns:
        an array of that shape. The derivative at 0 is ``alpha``.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> elu(np.array([-1.0, 3.0]))
    variable([-0.63212056,  3.        ])
    """
    alpha = float(alpha)
    return apply("ELU", lambda x: exponential_unit(x, alpha), (x,), floating)


def exponential_unit(x: Any, scale: float) -> Any:
    """x where it is positive, scale (exp(x) - 1) elsewhere."""
    low = x <= 0
    return where(low, scale * np.expm1(where(low, x, 0)), x)


ELU = function_class("ELU", elu, "alpha=1.0")
