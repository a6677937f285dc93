"""A penalty for two groups of hidden units that vary together."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def cross_covariance(y: Any, z: Any, reduce: str = "half_squared_sum") -> Variable:
    """Half the sum of the squared covariances of the units of y with those of z.

    Args:
        y: activations, ``(n, units)``, floats.
        z: other activations, ``(n, other units)``, of the same dtype.
        reduce: ``"half_squared_sum"``, or ``"no"`` for the covariances themselves.

    Returns:
        a number, or ``(units, other units)``.

    Raises:
        InvalidType: if shapes or dtypes are others.
        ValueError: for another ``reduce``.

    Source: Cheung et al., Discovering Hidden Factors of Variation in Deep Networks, 2015.

    >>> cross_covariance(np.array([[1.0], [-1.0]]), np.array([[2.0], [-2.0]]))
    variable(2.)
    """
    check_reduce(reduce, "half_squared_sum", "no")

    def loss(y: Any, z: Any) -> Any:
        covariance = (y - np.mean(y, axis=0)).T @ (z - np.mean(z, axis=0)) / y.shape[0]
        return covariance if reduce == "no" else 0.5 * np.sum(np.square(covariance))

    return apply(
        "CrossCovariance",
        loss,
        (y, z),
        check=lambda y, z: (
            y.dtype.kind == "f", y.dtype == z.dtype, y.ndim == 2, z.ndim == 2, y.shape[0] == z.shape[0],
        ),
    )  # fmt: skip


CrossCovariance = function_class("CrossCovariance", cross_covariance, "reduce='half_squared_sum'")
