"""A penalty for hidden units that vary together."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def decov(h: Any, reduce: str = "half_squared_sum") -> Variable:
    """Half the sum of the squared covariances of different units.

    Args:
        h: activations, ``(n, units)``, floats.
        reduce: ``"half_squared_sum"``, or ``"no"`` for the covariances themselves, with a diagonal of zeros.

    Returns:
        a number, or ``(units, units)``.

    Raises:
        InvalidType: if h has not two axes, or no floats.
        ValueError: for another ``reduce``.

    Source: Cogswell et al., Reducing Overfitting in Deep Networks by Decorrelating Representations, 2016.

    >>> decov(np.array([[1.0, 2.0], [-1.0, -2.0]]), reduce="no")
    variable([[0., 2.],
              [2., 0.]])
    """
    check_reduce(reduce, "half_squared_sum", "no")
    xp = get_array_module(h)

    def loss(h: Any) -> Any:
        centered = h - np.mean(h, axis=0)
        covariance = centered.T @ centered / h.shape[0]
        off_diagonal = np.where(xp.eye(h.shape[1], dtype=bool), 0, covariance)
        return off_diagonal if reduce == "no" else 0.5 * np.sum(np.square(off_diagonal))

    return apply("DeCov", loss, (h,), check=lambda h: (h.dtype.kind == "f", h.ndim == 2))


DeCov = function_class("DeCov", decov, "reduce='half_squared_sum'", called=True)
