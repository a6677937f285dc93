"""The cross entropy of yes-or-no answers given by scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class, inputs_of
from autodiff.chainer.functions.loss.labels import every
from autodiff.chainer.functions.loss.reduction import check_reduce, mean_length
from autodiff.chainer.functions.shown_attributes import always
from autodiff.chainer.functions.sums import total
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.elementwise import softplus


def sigmoid_cross_entropy(x: Any, t: Any, normalize: bool = True, reduce: str = "mean") -> Variable:
    """log(1 + exp(x)) - t x: minus the logarithm of the probability sigmoid(x) gives to the answer t.

    Args:
        x: scores, floats.
        t: answers of the same shape, integers: 1 for yes, 0 for no; where it is -1 there is no loss.
        normalize: whether the mean is over the answers that are not -1; otherwise the sum is divided by the length of
            the first axis.
        reduce: ``"mean"``, or ``"no"`` for a loss for each element.

    Returns:
        a number, or an array of x's shape.

    Raises:
        InvalidType: if the shapes differ, or the dtypes are others.
        ValueError: for another ``reduce``.

    >>> sigmoid_cross_entropy(np.array([0.0, 1000.0, 3.0]), np.array([1, 0, -1]), reduce="no")
    variable([6.93147181e-01, 1.00000000e+03, 0.00000000e+00])
    """
    check_reduce(reduce, "mean", "no")

    def loss(x: Any, t: Any) -> Any:
        counts = t != -1
        each = softplus(x) - x * t.astype(x.dtype)
        if not every(counts):
            each = np.where(counts, each, 0)
        return each if reduce == "no" else total(each) / mean_length(counts, normalize).astype(x.dtype)

    return apply(
        "SigmoidCrossEntropy",
        loss,
        (x, t),
        check=lambda x, t: (x.dtype.kind == "f", t.dtype.kind == "i", x.shape == t.shape),
    )


def counted(self: Any) -> Any:
    """Which elements count, as an array."""
    return inputs_of(self)[1].data != -1


def count_of(self: Any) -> int:
    """By what the sum was divided."""
    return max(1, int(counted(self).sum()) if self.normalize else len(inputs_of(self)[1].data))


SigmoidCrossEntropy = function_class(
    "SigmoidCrossEntropy",
    sigmoid_cross_entropy,
    "normalize=True, reduce='mean'",
    computed={"ignore_label": always(-1), "ignore_mask": counted, "count": count_of},
)
