"""The smooth rectifier."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import floating
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import softplus as smooth


def softplus(x: Any, beta: float = 1.0) -> Variable:
    """log(1 + exp(beta x)) / beta, without overflow.

    Args:
        x: floating-point numbers of any shape.
        beta: how sharp the bend at 0 is.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> softplus(np.array([0.0, 1000.0]))
    variable([6.93147181e-01, 1.00000000e+03])
    """
    beta = float(beta)

    def fun(x: Any) -> Any:
        return smooth(x) if beta == 1 else smooth(beta * x) / beta

    return apply("Softplus", fun, (x,), floating)


Softplus = function_class("Softplus", softplus, "beta=1.0", computed={"beta_inv": lambda self: 1.0 / self.beta})
