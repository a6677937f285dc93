"""Absolute differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import difference, function_class
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def alike(x0: Any, x1: Any) -> tuple[Any, ...]:
    """The check of two arrays that are compared: floats of one dtype and shape."""
    return x0.dtype.kind == "f", x0.dtype == x1.dtype, x0.shape == x1.shape


def absolute_error(x0: Any, x1: Any) -> Variable:
    """``|x0 - x1|``, element by element.

    Args:
        x0: floats of any shape.
        x1: floats of the same shape and dtype.

    Returns:
        an array of that shape. Where they are equal the derivative is 0.

    Raises:
        InvalidType: if they differ in shape or dtype, or are no floats.

    >>> absolute_error(np.array([1.0, 2.0]), np.array([3.0, -5.0]))
    variable([2., 7.])
    """
    return apply("AbsoluteError", lambda x0, x1: np.abs(x0 - x1), (x0, x1), check=alike)


AbsoluteError = function_class("AbsoluteError", absolute_error, computed={"diff": difference})
