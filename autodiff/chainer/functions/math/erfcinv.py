"""The inverse of the complementary error function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import all_floating
from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def erfcinv(x: Any) -> Variable:
    """The number whose :func:`erfc` is x, for x in (0, 2).

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> erfcinv(np.array([1.0, 0.5]))
    variable([-0.        ,  0.47693628])
    """
    return special("erfcinv", "erfcinv", x, all_floating)


ErfcInv = function_class("ErfcInv", erfcinv, label="erfcinv")
