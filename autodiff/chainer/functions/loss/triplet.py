"""The triplet loss: nearer to the positive than to the negative."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class, inputs_of
from autodiff.chainer.functions.loss.contrastive import check_margin
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def triplet(anchor: Any, positive: Any, negative: Any, margin: float = 0.2, reduce: str = "mean") -> Variable:
    """``max(0, |anchor - positive|**2 - |anchor - negative|**2 + margin)``.

    Args:
        anchor: n things, ``(n, features)``, floats.
        positive: for each one that is like it, of the same shape and dtype.
        negative: for each one that is not.
        margin: how much nearer the positive should be, as a difference of squared distances.
        reduce: ``"mean"``, or ``"no"`` for a loss for each triplet.

    Returns:
        a number, or ``(n,)``. At the hinge the derivative is 0.

    Raises:
        InvalidType: if shapes or dtypes differ.
        ValueError: for another ``reduce``, or a margin that is not positive.

    >>> triplet(np.array([[1.0]]), np.array([[0.0]]), np.array([[3.0]]), margin=4)
    variable(1.)
    """
    check_reduce(reduce, "mean", "no")
    check_margin(margin)

    def loss(anchor: Any, positive: Any, negative: Any) -> Any:
        nearer = np.sum(np.square(anchor - positive) - np.square(anchor - negative), axis=1) + margin
        each = np.where(nearer > 0, nearer, 0)
        return each if reduce == "no" else np.sum(each) / len(anchor)

    return apply(
        "Triplet",
        loss,
        (anchor, positive, negative),
        check=lambda anchor, positive, negative: (
            anchor.dtype.kind == "f", anchor.dtype == positive.dtype, anchor.dtype == negative.dtype,
            anchor.shape == positive.shape, anchor.shape == negative.shape, anchor.shape[0] > 0,
        ),
    )  # fmt: skip


def hinges(self: Any) -> Any:
    """The loss of each example, as an array."""
    anchor, positive, negative = (node.data for node in inputs_of(self))
    return np.maximum(np.sum((anchor - positive) ** 2 - (anchor - negative) ** 2, axis=1) + self.margin, 0)


Triplet = function_class("Triplet", triplet, "margin, reduce='mean'", computed={"dist_hinge": hinges})
