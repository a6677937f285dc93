"""The logarithm of the gamma function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def lgamma(x: Any) -> Variable:
    """log(abs(gamma(x))).

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> lgamma(np.array([1.0, 4.0]))
    variable([0.        , 1.79175947])
    """
    return special("lgamma", "gammaln", x)


LGamma = function_class("LGamma", lgamma, label="lgamma")
