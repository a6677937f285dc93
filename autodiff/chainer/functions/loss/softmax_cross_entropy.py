"""The cross entropy of classes given by scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class, inputs_of
from autodiff.chainer.functions.loss.labels import check_labels, every
from autodiff.chainer.functions.loss.reduction import check_reduce, mean_length
from autodiff.chainer.functions.loss.soft_targets import soft_target_cross_entropy
from autodiff.chainer.functions.picking import all_are_classes, picked
from autodiff.chainer.functions.shown_attributes import always
from autodiff.chainer.functions.sums import total
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.numpy.items.indexing import take
from autodiff.ops.reductions.softmax import log_softmax
from autodiff.trace.source import at_user_line


def softmax_cross_entropy(
    x: Any,
    t: Any,
    normalize: bool = True,
    cache_score: bool = True,
    class_weight: Any = None,
    ignore_label: int | None = -1,
    reduce: str = "mean",
    enable_double_backprop: bool = False,
    soft_target_loss: str = "cross-entropy",
) -> Variable:
    """-log(softmax(x)[t]): minus the logarithm of the probability that softmax gives to the true class.

    Args:
        x: scores, ``(n, classes, ...)``, floats.
        t: true classes, ``(n, ...)``, integers; or soft targets, floats of x's shape that sum to one over the classes,
            which get no gradient.
        normalize: whether the mean is over the labels that are not ignored; otherwise the sum is divided by n. Soft
            targets are always averaged over all places.
        cache_score: has no effect.
        class_weight: a factor for each class, an array ``(classes,)``; not for soft targets.
        ignore_label: the label without a loss; None for no such label.
        reduce: ``"mean"``, or ``"no"`` for a loss for each label.
        enable_double_backprop: has no effect: the loss can always be differentiated again.
        soft_target_loss: ``"cross-entropy"``, or ``"kl-divergence"``, which subtracts the entropy of the targets.

    Returns:
        a number, or ``(n, ...)``. With nothing but ignored labels it is 0.

    Raises:
        InvalidType: if shapes or dtypes are others.
        IndexError: if a label is no class and not ``ignore_label``.
        ValueError: for other values of ``reduce`` and ``soft_target_loss``, or a ``class_weight`` that does not fit.

    >>> x = np.log(np.array([[0.25, 0.75], [0.5, 0.5]]))
    >>> softmax_cross_entropy(x, np.array([0, -1]))
    variable(1.38629436)
    >>> softmax_cross_entropy(x, np.array([0, 1]), reduce="no")
    variable([1.38629436, 0.69314718])
    """
    check_reduce(reduce, "mean", "no")
    weight = checked_weight(class_weight, x)
    if getattr(t, "ndim", None) == getattr(x, "ndim", None) and getattr(t, "dtype", np.dtype(int)).kind == "f":
        return soft_target_cross_entropy(x, t, reduce, soft_target_loss, weight)

    def loss(x: Any, t: Any) -> Any:
        if all_are_classes(t, x.shape[1], ignore_label):
            gains = gains_of(x, t, weight)
            return -gains if reduce == "no" else total(gains) / -max(t.size if normalize else len(t), 1)
        counts = np.ones_like(t, bool) if ignore_label is None else t != ignore_label
        labels = np.where(counts, t, 0)
        check_labels(labels, x.shape[1], ignore_label)
        scores = x if every(counts) else np.where(np.expand_dims(counts, 1), x, 0)
        each = np.where(counts, -gains_of(scores, labels, weight), 0)
        return each if reduce == "no" else total(each) / mean_length(counts, normalize).astype(x.dtype)

    return apply(
        "SoftmaxCrossEntropy",
        loss,
        (x, t),
        check=lambda x, t: (
            x.dtype.kind == "f", t.dtype.kind == "i", t.ndim == x.ndim - 1, x.shape[0] == t.shape[0],
            x.shape[2:] == t.shape[1:],
        ),
    )  # fmt: skip


def gains_of(x: Any, labels: Any, weight: Any) -> Any:
    """The logarithms of the probabilities of the true classes, times their weights."""
    gains = picked(log_softmax(x, axes=(1 - len(x.shape),)), labels)
    return gains if weight is None else gains * take(weight.astype(x.dtype), labels)


def checked_weight(weight: Any, x: Any) -> Any:
    """The factors of the classes, after a look whether they can be that.

    Raises:
        TypeError: if they are no array.
        ValueError: if they are a Variable, not of one axis, or no floats.
    """
    if weight is None:
        return None
    if isinstance(weight, Variable):
        raise ValueError(f"class_weight must be an array, got a Variable{at_user_line()}; give its array")
    if not hasattr(weight, "ndim"):
        raise TypeError(f"class_weight must be an array, got {type(weight).__name__}{at_user_line()}")
    if weight.ndim != 1 or weight.dtype.kind != "f":
        raise ValueError(
            f"class_weight must be one float for each class, got {weight.dtype} of shape {weight.shape}{at_user_line()}"
        )
    if getattr(x, "ndim", 0) > 1 and weight.shape[0] != x.shape[1]:
        raise ValueError(f"class_weight has {weight.shape[0]} factors for {x.shape[1]} classes{at_user_line()}")
    return weight


def probabilities(self: Any) -> Any:
    """The softmax of the scores that a loss was computed from."""
    scores = inputs_of(self)[0].data
    return np.exp(log_softmax(scores, axes=(1 - len(scores.shape),)))


SoftmaxCrossEntropy = function_class(
    "SoftmaxCrossEntropy",
    softmax_cross_entropy,
    "normalize=True, cache_score=True, class_weight=None, ignore_label=-1, reduce='mean', "
    "soft_target_loss='cross-entropy'",
    computed={
        "y": probabilities,
        "class_weight": lambda self: self.weight,
        "cache_score": always(True),
        "soft_target_loss": always("cross-entropy"),
    },
)
