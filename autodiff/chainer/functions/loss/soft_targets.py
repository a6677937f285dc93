"""The cross entropy of classes that are not certain."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply
from autodiff.ops.reductions.softmax import log_softmax
from autodiff.trace.source import at_user_line

SMALL = 1e-7
"""Added to targets under the logarithm, as Chainer does: those that are 0 have one."""


def soft_target_cross_entropy(x: Any, t: Any, reduce: str, soft_target_loss: str, class_weight: Any) -> Variable:
    """-sum(t log(softmax(x))) over the classes; for ``"kl-divergence"`` sum(t log(t + 1e-7)) is added.

    Args:
        x: scores, ``(n, classes, ...)``, floats.
        t: probabilities of the same shape. They get no gradient.
        reduce: ``"mean"``, or ``"no"`` for ``(n, ...)``.
        soft_target_loss: ``"cross-entropy"`` or ``"kl-divergence"``.
        class_weight: must be None.

    Raises:
        InvalidType: if the shapes differ.
        ValueError: for another ``soft_target_loss``, or with a ``class_weight``.
    """
    if soft_target_loss not in ("cross-entropy", "kl-divergence"):
        raise ValueError(
            f"soft_target_loss must be 'cross-entropy' or 'kl-divergence', got {soft_target_loss!r}{at_user_line()}"
        )
    if class_weight is not None:
        raise ValueError(f"class_weight is not for soft targets{at_user_line()}; multiply the targets by the weights")

    def loss(x: Any, t: Any) -> Any:
        t = t.astype(x.dtype)
        each = -np.sum(t * log_softmax(x, axes=(1 - x.ndim,)), axis=1)
        if soft_target_loss == "kl-divergence":
            each = each + np.sum(t * np.log(t + SMALL), axis=1)
        return each if reduce == "no" else np.mean(each)

    return apply(
        "SoftmaxCrossEntropy",
        loss,
        (x, as_array(t)),
        check=lambda x, t: (x.dtype.kind == "f", t.dtype.kind == "f", x.shape == t.shape),
    )
