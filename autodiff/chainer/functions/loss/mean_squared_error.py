"""The mean of squared differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.absolute_error import alike
from autodiff.chainer.functions.sums import mean
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def mean_squared_error(x0: Any, x1: Any) -> Variable:
    """The mean of (x0 - x1)**2 over all elements.

    Args:
        x0: floats of any shape.
        x1: floats of the same shape and dtype.

    Returns:
        a number. Of no elements it is NaN.

    Raises:
        InvalidType: if they differ in shape or dtype, or are no floats.

    >>> mean_squared_error(np.array([1.0, 2.0]), np.array([3.0, 6.0]))
    variable(10.)
    """
    return apply("MeanSquaredError", lambda x0, x1: mean(np.square(x0 - x1)), (x0, x1), check=alike)


MeanSquaredError = function_class("MeanSquaredError", mean_squared_error)
