"""The digamma function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def digamma(x: Any) -> Variable:
    """The derivative of :func:`lgamma`.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> digamma(np.array([1.0]))
    variable([-0.57721566])
    """
    return special("digamma", "digamma", x)


DiGamma = function_class("DiGamma", digamma, label="digamma")
