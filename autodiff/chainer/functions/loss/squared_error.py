"""Squared differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.absolute_error import alike
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def squared_error(x0: Any, x1: Any) -> Variable:
    """(x0 - x1)**2, element by element.

    Args:
        x0: floats of any shape.
        x1: floats of the same shape and dtype.

    Returns:
        an array of that shape.

    Raises:
        InvalidType: if they differ in shape or dtype, or are no floats.

    >>> squared_error(np.array([1.0, 2.0]), np.array([3.0, 5.0]))
    variable([4., 9.])
    """
    return apply("SquaredError", lambda x0, x1: np.square(x0 - x1), (x0, x1), check=alike)


def squared_difference(x1: Any, x2: Any) -> Variable:
    """(x1 - x2)²: another name of :func:`squared_error`."""
    return squared_error(x1, x2)


SquaredError = function_class("SquaredError", squared_error)
