"""The scaled complementary error function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import all_floating
from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def erfcx(x: Any) -> Variable:
    """exp(x^2) erfc(x).

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> erfcx(np.array([0.0, 1.0]))
    variable([1.        , 0.42758358])
    """
    return special("erfcx", "erfcx", x, all_floating)


Erfcx = function_class("Erfcx", erfcx, label="erfcx")
