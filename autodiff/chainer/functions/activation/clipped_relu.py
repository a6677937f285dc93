"""Rectifiers with an upper bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import floating
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import where
from autodiff.transforms.stop_gradient import stop_gradient


def clipped_relu(x: Any, z: float = 20.0) -> Variable:
    """min(max(x, 0), z), element by element.

    Args:
        x: floating-point numbers of any shape.
        z: the upper bound.

    Returns:
        an array of that shape. The derivative at both bounds is 0.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> clipped_relu(np.array([-2.0, 3.0, 9.0]), z=5)
    variable([0., 3., 5.])
    """
    z = float(z)
    return apply("ClippedReLU", lambda x: clipped(x, z), (x,), floating)


def clipped(x: Any, top: float) -> Any:
    """min(max(x, 0), top), of which the bounds have no derivative."""
    return where((x > 0) & (x < top), x, np.clip(stop_gradient(x), 0, top))


def relu6(x: Any) -> Variable:
    """min(max(x, 0), 6), element by element.

    Args:
        x: floating-point numbers of any shape.

    Returns:
        an array of that shape. The derivative at both bounds is 0.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> relu6(np.array([-2.0, 3.0, 9.0]))
    variable([0., 3., 6.])
    """
    return clipped_relu(x, 6.0)


ClippedReLU = function_class("ClippedReLU", clipped_relu, "z", computed={"cap": lambda self: self.z})
