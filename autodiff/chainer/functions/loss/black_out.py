"""A softmax over the true class and a few drawn ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply
from autodiff.ops.reductions.logsumexp import logsumexp


def black_out(x: Any, t: Any, W: Any, samples: Any, reduce: str = "mean") -> Variable:
    """-log(p_t) - the sum of log(1 - p_k) over drawn classes k, where p is the softmax of x.W over t and all k.

    Args:
        x: feature vectors, ``(n, features)``, floats.
        t: the true classes, ``(n,)``, integers.
        W: a vector for each class, ``(classes, features)``, of x's dtype.
        samples: the drawn classes, ``(n, drawn)``, integers.
        reduce: ``"mean"``, or ``"no"`` for a loss for each example.

    Returns:
        a number, or ``(n,)``.

    Raises:
        InvalidType: if shapes or dtypes are others.
        ValueError: for another ``reduce``.

    Source: Ji et al., BlackOut: Speeding up Recurrent Neural Network Language Models With Very Large Vocabularies,
    2016.

    >>> black_out(np.ones((1, 1)), np.array([0]), np.zeros((2, 1)), np.array([[1]]))
    variable(1.38629436)
    """
    check_reduce(reduce, "mean", "no")

    def loss(x: Any, t: Any, W: Any, samples: Any) -> Any:
        chosen = np.concatenate((t[:, None], samples), axis=1)
        scores = np.sum(x[:, None] * W[chosen], axis=2)
        shares = scores - logsumexp(scores, axes=(-1,))[:, None]
        each = -(shares[:, 0] + np.sum(np.log1p(-np.exp(shares[:, 1:])), axis=1))
        return each if reduce == "no" else np.mean(each)

    return apply(
        "BlackOut",
        loss,
        (x, t, W, as_array(samples)),
        check=lambda x, t, W, samples: (
            x.dtype.kind == "f", x.ndim == 2, t.dtype.kind == "i", t.ndim == 1, x.shape[0] == t.shape[0],
            W.dtype == x.dtype, W.ndim == 2, W.shape[1] == x.shape[1], samples.dtype.kind == "i", samples.ndim == 2,
            samples.shape[0] == x.shape[0],
        ),
    )  # fmt: skip
