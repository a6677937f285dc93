"""Squared lengths of the vectors of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def batch_l2_norm_squared(x: Any) -> Variable:
    """The sum of the squares of each element of a batch.

    Args:
        x: floating-point numbers of shape (batch, ...).

    Returns:
        one number for each element of the batch.

    Raises:
        InvalidType: if the numbers are no floating-point numbers, or have less than two axes.

    >>> batch_l2_norm_squared(np.array([[3.0, 4.0], [1.0, 0.0]]))
    variable([25.,  1.])
    """
    return apply(
        "BatchL2NormSquared",
        lambda x: np.sum(np.square(x), axis=tuple(range(1, x.ndim))),
        (x,),
        lambda x: (x.dtype.kind == "f", x.ndim >= 2),
    )


BatchL2NormSquared = function_class("BatchL2NormSquared", batch_l2_norm_squared)
