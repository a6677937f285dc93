"""The distribution function of the normal distribution."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import all_floating
from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def ndtr(x: Any) -> Variable:
    """The probability that a standard normal number is below x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> ndtr(np.array([0.0, 1.0]))
    variable([0.5       , 0.84134475])
    """
    return special("ndtr", "ndtr", x, all_floating)


Ndtr = function_class("Ndtr", ndtr, label="ndtr")
