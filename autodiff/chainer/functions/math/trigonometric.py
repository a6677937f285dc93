"""Trigonometric functions and their inverses; angles are in radians."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def sin(x: Any) -> Variable:
    """The sine.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> sin(np.array([0.0, np.pi / 2]))
    variable([0., 1.])
    """
    return direct("sin", np.sin, x)


def cos(x: Any) -> Variable:
    """The cosine.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> cos(np.array([0.0, np.pi]))
    variable([ 1., -1.])
    """
    return direct("cos", np.cos, x)


def tan(x: Any) -> Variable:
    """The tangent.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> tan(np.array([0.0]))
    variable([0.])
    """
    return direct("tan", np.tan, x)


def arcsin(x: Any) -> Variable:
    """The angle in [-pi/2, pi/2] whose sine is x; the derivative at -1 and 1 is inf.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> arcsin(np.array([0.0, 1.0]))
    variable([0.        , 1.57079633])
    """
    return direct("arcsin", np.arcsin, x)


def arccos(x: Any) -> Variable:
    """The angle in [0, pi] whose cosine is x; the derivative at -1 and 1 is -inf.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> arccos(np.array([1.0]))
    variable([0.])
    """
    return direct("arccos", np.arccos, x)


def arctan(x: Any) -> Variable:
    """The angle in (-pi/2, pi/2) whose tangent is x.

    Args:
        x: floating-point numbers of any shape.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> arctan(np.array([0.0]))
    variable([0.])
    """
    return direct("arctan", np.arctan, x)


def arctan2(x1: Any, x2: Any) -> Variable:
    """The angle of the point (x2, x1), in (-pi, pi].

    Args:
        x1: ordinates.
        x2: abscissas, of a shape that broadcasts with that of ``x1``.

    Returns:
        one angle for each point. The derivatives at the origin are 0.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> arctan2(np.array([1.0]), np.array([-1.0]))
    variable([2.35619449])
    """
    result: Variable = apply(
        "arctan2", np.arctan2, (x1, x2), lambda x1, x2: (x1.dtype.kind == "f", x2.dtype.kind == "f")
    )
    return result


Arccos = function_class("Arccos", arccos, label="arccos")
Arcsin = function_class("Arcsin", arcsin, label="arcsin")
Arctan = function_class("Arctan", arctan, label="arctan")
Arctan2 = function_class("Arctan2", arctan2, label="arctan2")
Cos = function_class("Cos", cos, label="cos")
Sin = function_class("Sin", sin, label="sin")
Tan = function_class("Tan", tan, label="tan")
