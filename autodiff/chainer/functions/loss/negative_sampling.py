"""Word vectors told from noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import as_array
from autodiff.facade.graph.applying import apply
from autodiff.ops.elementwise import softplus
from autodiff.trace.source import at_user_line


def negative_sampling(
    x: Any,
    t: Any,
    W: Any,
    sampler: Callable[[tuple[int, int]], Any],
    sample_size: int,
    reduce: str = "sum",
    *,
    return_samples: bool = False,
    **kwargs: Any,
) -> Any:
    """log(1 + exp(-x.W[t])) + the sum of log(1 + exp(x.W[k])) over drawn classes k.

    Args:
        x: feature vectors, ``(n, features)``, floats.
        t: the true classes, ``(n,)``, int32; where it is -1 there is no loss.
        W: a vector for each class, ``(classes, features)``, of x's dtype.
        sampler: draws classes: an int32 array of the shape that it is given.
        sample_size: how many classes are drawn for each example.
        reduce: ``"sum"``, or ``"no"`` for a loss for each example.
        return_samples: whether the classes are returned, too: ``(n, 1 + sample_size)``, the true ones in front.
        kwargs: nothing else is known.

    Returns:
        a number, or ``(n,)``; with ``return_samples`` a pair.

    Raises:
        InvalidType: if shapes or dtypes are others.
        ValueError: for another ``reduce``.

    Source: Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, 2013.

    >>> negative_sampling(np.ones((1, 1)), np.zeros(1, "i"), np.zeros((2, 1)), lambda shape: np.ones(shape, "i"), 3)
    variable(2.77258872)
    """
    if kwargs:
        raise TypeError(f"negative_sampling got an unexpected keyword argument {next(iter(kwargs))!r}{at_user_line()}")
    check_reduce(reduce, "sum", "no")
    if sample_size < 0:
        raise ValueError(f"sample_size must not be negative, got {sample_size}{at_user_line()}")
    samples = sampler((t.shape[0], sample_size + 1))
    samples[:, 0] = as_array(t)
    signs = np.where(get_array_module(x).arange(sample_size + 1) == 0, -1, 1)

    def loss(x: Any, t: Any, W: Any) -> Any:
        scores = np.sum(x[:, None] * W[samples], axis=2) * signs.astype(x.dtype)
        each = np.where(t != -1, np.sum(softplus(scores), axis=1), 0)
        return each if reduce == "no" else np.sum(each)

    out = apply(
        "NegativeSamplingFunction",
        loss,
        (x, t, W),
        check=lambda x, t, W: (
            x.dtype.kind == "f", x.ndim == 2, t.dtype == np.int32, t.ndim == 1, x.shape[0] == t.shape[0],
            W.dtype == x.dtype, W.ndim == 2, W.shape[1] == x.shape[1],
        ),
    )  # fmt: skip
    return (out, samples) if return_samples else out


NegativeSamplingFunction = function_class(
    "NegativeSamplingFunction", negative_sampling, "sampler, sample_size, reduce='sum'"
)
