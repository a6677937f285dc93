"""The contrastive loss: equal things together, different things apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line


def check_margin(margin: float) -> None:
    """See that a margin is positive.

    Raises:
        ValueError: if it is not.
    """
    if margin <= 0:
        raise ValueError(f"margin must be positive, got {margin}{at_user_line()}")


def contrastive(x0: Any, x1: Any, y: Any, margin: float = 1, reduce: str = "mean") -> Variable:
    """(y d**2 + (1 - y) max(margin - d, 0)**2) / 2, where d is the distance of x0 and x1.

    Args:
        x0: one side of n pairs, ``(n, features)``, floats.
        x1: the other side, of the same shape and dtype.
        y: 1 for a pair of equal things, 0 for a pair of different ones, ``(n,)``, integers.
        margin: how far different things should be apart.
        reduce: ``"mean"``, or ``"no"`` for a loss for each pair.

    Returns:
        a number, or ``(n,)``. Where x0 and x1 coincide the derivative is 0.

    Raises:
        InvalidType: if shapes or dtypes are others.
        ValueError: for another ``reduce``, or a margin that is not positive.

    >>> contrastive(np.array([[3.0, 4.0], [0.0, 0.5]]), np.zeros((2, 2)), np.array([1, 0]), reduce="no")
    variable([12.5  ,  0.125])
    """
    check_reduce(reduce, "mean", "no")
    check_margin(margin)

    def loss(x0: Any, x1: Any, y: Any) -> Any:
        d = x0 - x1
        gap = margin - np.linalg.norm(d, axis=1)
        equal = y.astype(x0.dtype)
        each = 0.5 * (equal * np.sum(d * d, axis=1) + (1 - equal) * np.square(np.where(gap >= 0, gap, 0)))
        return each if reduce == "no" else np.mean(each)

    return apply(
        "Contrastive",
        loss,
        (x0, x1, y),
        check=lambda x0, x1, y: (
            x0.dtype.kind == "f", x0.dtype == x1.dtype, y.dtype.kind == "i", x0.shape == x1.shape, x0.ndim == 2,
            x1.shape[0] == y.shape[0], x1.shape[0] > 0, y.ndim == 1,
        ),
    )  # fmt: skip


Contrastive = function_class("Contrastive", contrastive, "margin, reduce='mean'")
