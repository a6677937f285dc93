"""The complementary error function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def erfc(x: Any) -> Variable:
    """1 - erf(x), exact for large x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> erfc(np.array([0.0, 1.0]))
    variable([1.        , 0.15729921])
    """
    return special("erfc", "erfc", x)


Erfc = function_class("Erfc", erfc, label="erfc")
