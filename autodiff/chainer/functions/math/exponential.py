"""Exponentials and logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import all_floating
from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.variables.variable import Variable


def exp(x: Any) -> Variable:
    """e to the power of x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> exp(np.array([0.0, 1.0]))
    variable([1.        , 2.71828183])
    """
    return direct("exp", np.exp, x, all_floating)


def log(x: Any) -> Variable:
    """The natural logarithm.

    Args:
        x: floating-point numbers of any shape.

    Returns:
        one number for each.  At 0 it is -inf with the derivative inf; below it is NaN with the derivative NaN.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> log(np.array([1.0, np.e]))
    variable([0., 1.])
    """
    return direct("log", np.log, x)


def log2(x: Any) -> Variable:
    """The logarithm to base 2.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> log2(np.array([1.0, 8.0]))
    variable([0., 3.])
    """
    return direct("log2", np.log2, x)


def log10(x: Any) -> Variable:
    """The logarithm to base 10.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> log10(np.array([1.0, 100.0]))
    variable([0., 2.])
    """
    return direct("log10", np.log10, x)


Exp = function_class("Exp", exp, label="exp", of_outputs=lambda self, y, gy: gy * y)
Log = function_class("Log", log, label="log")
Log2 = function_class("Log2", log2, label="log2")
Log10 = function_class("Log10", log10, label="log10")
