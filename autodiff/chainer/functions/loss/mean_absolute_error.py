"""The mean of absolute differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import difference, function_class
from autodiff.chainer.functions.loss.absolute_error import alike
from autodiff.chainer.functions.sums import mean
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def mean_absolute_error(x0: Any, x1: Any) -> Variable:
    """The mean of ``|x0 - x1|`` over all elements.

    Args:
        x0: floats of any shape.
        x1: floats of the same shape and dtype.

    Returns:
        a number. Of no elements it is NaN. Where x0 and x1 are equal the derivative is 0.

    Raises:
        InvalidType: if they differ in shape or dtype, or are no floats.

    >>> mean_absolute_error(np.array([1.0, 2.0]), np.array([3.0, 6.0]))
    variable(3.)
    """
    return apply("MeanAbsoluteError", lambda x0, x1: mean(np.abs(x0 - x1)), (x0, x1), check=alike)


MeanAbsoluteError = function_class("MeanAbsoluteError", mean_absolute_error, computed={"diff": difference})
