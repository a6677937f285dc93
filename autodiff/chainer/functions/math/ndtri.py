"""Quantiles of the normal distribution."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import all_floating
from autodiff.chainer.functions.direct import special
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def ndtri(x: Any) -> Variable:
    """The number below which a standard normal one is with probability x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> ndtri(np.array([0.5, 0.75]))
    variable([0.        , 0.67448975])
    """
    return special("ndtri", "ndtri", x, all_floating)


Ndtri = function_class("Ndtri", ndtri, label="ndtri")
