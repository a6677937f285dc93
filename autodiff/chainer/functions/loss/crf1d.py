"""Chains of labels: a conditional random field."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.loss.labels import check_labels
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply
from autodiff.ops.reductions.logsumexp import logsumexp
from autodiff.trace.source import at_user_line


def crf1d(cost: Any, xs: Sequence[Any], ys: Sequence[Any], reduce: str = "mean") -> Variable:
    """Minus the logarithm of the probability of a path of labels, proportional to exp(its scores + its transitions).

    Args:
        cost: the score of going from a label to the next one, ``(labels, labels)``, floats.
        xs: for each step the scores of the labels, ``(batch, labels)``: the batch never grows.
        ys: for each step the labels, ``(batch,)``, integers.
        reduce: ``"mean"``, or ``"no"`` for a loss for each sequence.

    Returns:
        a number, or ``(batch,)``.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        IndexError: if a label is none.
        ValueError: for another ``reduce``, or if there are no steps or more of xs than of ys.

    Source: Lafferty et al., Conditional Random Fields, 2001.

    >>> crf1d(np.zeros((2, 2)), [np.zeros((1, 2))] * 3, [np.zeros(1, int)] * 3)
    variable(2.07944154)
    """
    check_reduce(reduce, "mean", "no")
    check_steps(xs, ys)
    ys = [as_array(y) for y in ys]
    for y in ys:
        check_labels(y, cost.shape[0], None)
    steps = len(xs)

    def loss(cost: Any, *values: Any) -> Any:
        each = log_partition(cost, values[:steps]) - path_score(cost, values[:steps], values[steps:])
        return each if reduce == "no" else np.mean(each)

    return apply(
        "CRF1d", loss, (cost, *xs, *ys), check=lambda *types: fitting(*types[: steps + 1], ys=types[steps + 1 :])
    )


def argmax_crf1d(cost: Any, xs: Sequence[Any]) -> tuple[Variable, list[Any]]:
    """The best path of labels of each sequence.

    Args:
        cost: the score of going from a label to the next one, ``(labels, labels)``, floats.
        xs: for each step the scores of the labels, ``(batch, labels)``: the batch never grows.

    Returns:
        the scores of the best paths, ``(batch,)``, and for each step an array of labels, ``(batch,)``, int32.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        ValueError: if there are no steps.

    >>> score, path = argmax_crf1d(np.zeros((2, 2)), [np.array([[1.0, 3.0]]), np.array([[2.0, 1.0]])])
    >>> score, path
    (variable([5.]), [array([1], dtype=int32), array([0], dtype=int32)])
    """
    check_steps(xs)
    cost_array, scores = as_array(cost), [as_array(x) for x in xs]
    path = best_path(cost_array, scores)
    best = apply("CRF1dScore", lambda cost, *xs: path_score(cost, xs, path), (cost, *xs), check=fitting)
    return best, path


def check_steps(xs: Sequence[Any], ys: Sequence[Any] | None = None) -> None:
    """See that there are steps, and labels for each.

    Raises:
        ValueError: if not.
    """
    if not len(xs) or (ys is not None and len(xs) != len(ys)):
        labels = "" if ys is None else f" and {len(ys)} of labels"
        raise ValueError(f"got {len(xs)} steps of scores{labels}{at_user_line()}; as many are needed, at least one")


def fitting(cost: Any, *xs: Any, ys: Sequence[Any] = ()) -> tuple[Any, ...]:
    """The conditions on transitions, scores and labels."""
    return (
        cost.dtype.kind == "f", cost.ndim == 2, cost.shape[0] == cost.shape[1],
        *(x.dtype == cost.dtype for x in xs), *(x.ndim == 2 for x in xs), *(x.shape[1] == cost.shape[0] for x in xs),
        *(later.shape[0] <= earlier.shape[0] for earlier, later in pairwise(xs)),
        *(y.dtype.kind == "i" for y in ys), *(y.shape[0] == x.shape[0] for x, y in zip(xs, ys)),
    )  # fmt: skip


def log_partition(cost: Any, xs: Sequence[Any]) -> Any:
    """The logarithm of the sum of exp(score) over all paths of each sequence, ``(batch,)``."""
    alpha, ended = xs[0], []
    for x in xs[1:]:
        if x.shape[0] < alpha.shape[0]:
            ended.append(alpha[x.shape[0] :])
            alpha = alpha[: x.shape[0]]
        alpha = logsumexp(alpha[:, :, None] + cost, axes=(-2,)) + x
    whole = np.concatenate((alpha, *reversed(ended))) if ended else alpha
    return logsumexp(whole, axes=(-1,))


def path_score(cost: Any, xs: Sequence[Any], ys: Sequence[Any]) -> Any:
    """The score of the given path of each sequence, ``(batch,)``."""
    places = get_array_module(ys[0]).arange
    score, ended = xs[0][places(len(ys[0])), ys[0]], []
    for x, y, before in zip(xs[1:], ys[1:], ys):
        batch = len(y)
        if batch < score.shape[0]:
            ended.append(score[batch:])
            score = score[:batch]
        score = score + x[places(batch), y] + cost[before[:batch], y]
    return np.concatenate((score, *reversed(ended))) if ended else score


def best_path(cost: Any, xs: Sequence[Any]) -> list[Any]:
    """For each step the labels of the path with the highest score (Viterbi's algorithm)."""
    alpha, pointers = xs[0], []
    for x in xs[1:]:
        reached = alpha[: len(x), :, None] + cost
        pointers.append(np.argmax(reached, axis=1))
        alpha = np.concatenate((np.max(reached, axis=1) + x, alpha[len(x) :]))
    label = np.argmax(alpha, axis=1).astype(np.int32)
    path = [label[: len(xs[-1])]]
    for x, pointer in zip(xs[-2::-1], reversed(pointers)):
        ended = label[len(pointer) : len(x)]
        before = np.take_along_axis(pointer, path[0][:, None], 1)[:, 0].astype(np.int32)
        path.insert(0, np.concatenate((before, ended)))
    return path
