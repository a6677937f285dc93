"""The first axis in reverse order."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def flipud(a: Any) -> Variable:
    """The first axis in reverse order.

    Args:
        a: floating-point numbers.

    Raises:
        InvalidType: if there is no such axis, or the numbers are no floating-point numbers.

    >>> flipud(np.array([1.0, 2.0]))
    variable([2., 1.])
    """
    return apply("FlipUD", np.flipud, (a,), lambda a: (a.dtype.kind == "f", a.ndim >= 1))


FlipUD = function_class("FlipUD", flipud)
