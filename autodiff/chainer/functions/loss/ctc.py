"""Sequences of labels without an alignment: connectionist temporal classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.array.stack import stack
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.loss.reduction import check_reduce
from autodiff.facade import Variable, as_array, as_variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.reductions.softmax import log_softmax
from autodiff.trace.source import at_user_line

IMPOSSIBLE = -1e10
"""The logarithm of the probability of what cannot be; Chainer's number. It has a slope, unlike minus infinity."""


def connectionist_temporal_classification(
    x: Sequence[Any],
    t: Any,
    blank_symbol: int,
    input_length: Any = None,
    label_length: Any = None,
    reduce: str = "mean",
) -> Variable:
    """Minus the logarithm of the probability of all alignments that become t without repetitions and blanks.

    Args:
        x: for each step the scores of the symbols, ``(batch, symbols)``, floats.
        t: the sequences of symbols, ``(batch, longest)``, int32.
        blank_symbol: the symbol that says nothing.
        input_length: how many steps each sequence has, ``(batch,)``, int32; all if None.
        label_length: how many symbols each has, ``(batch,)``, int32; all if None.
        reduce: ``"mean"``, or ``"no"`` for a loss for each sequence.

    Returns:
        a number, or ``(batch,)``; 1e10 for what is impossible, because there are fewer steps than symbols.

    Raises:
        InvalidType: if shapes or dtypes are others.
        TypeError: if x is no list, or ``blank_symbol`` no integer.
        ValueError: for another ``reduce``, or if ``blank_symbol`` is none of the symbols.

    Source: Graves et al., Connectionist Temporal Classification, 2006.

    >>> connectionist_temporal_classification([np.zeros((1, 2))] * 2, np.ones((1, 1), "i"), 0)
    variable(0.28768207)
    """
    check_reduce(reduce, "mean", "no")
    check_symbols(x, blank_symbol)
    stacked = stack([as_variable(scores) for scores in x])
    steps, batch = len(x), as_array(t).shape[0]
    longest = as_array(t).shape[1] if as_array(t).ndim > 1 else 0
    given = [
        get_array_module(t).full(batch, most, "i") if length is None else as_array(length)
        for length, most in ((input_length, steps), (label_length, longest))
    ]

    def loss(input_length: Any, label_length: Any, t: Any, x: Any) -> Any:
        each = -log_likelihood(log_softmax(x, axes=(-1,)), t, blank_symbol, input_length, label_length)
        return each if reduce == "no" else np.mean(each)

    return apply("ConnectionistTemporalClassification", loss, (*given, as_array(t), stacked), check=fitting)


def check_symbols(x: Any, blank_symbol: Any) -> None:
    """See that x is a list of scores, and the blank one of their symbols.

    Raises:
        TypeError: if x is no list, or the blank no integer.
        ValueError: if there are no steps, or no such symbol.
    """
    if not isinstance(x, (list, tuple)):
        raise TypeError(f"x must be a list of the scores of each step, got {type(x).__name__}{at_user_line()}")
    if not isinstance(blank_symbol, (int, np.integer)):
        raise TypeError(f"blank_symbol must be an integer, got {type(blank_symbol).__name__}{at_user_line()}")
    if not x or not 0 <= blank_symbol < x[0].shape[-1]:
        symbols = x[0].shape[-1] if x else 0
        raise ValueError(f"blank_symbol must be one of the {symbols} symbols in x, got {blank_symbol}{at_user_line()}")


def fitting(input_length: Any, label_length: Any, t: Any, x: Any) -> tuple[Any, ...]:
    """The conditions on lengths, symbols and scores."""
    return (
        input_length.dtype == np.int32, label_length.dtype == np.int32, t.dtype == np.int32,
        input_length.ndim == 1, label_length.ndim == 1, t.ndim == 2, x.ndim == 3, x.dtype.kind == "f",
        t.shape[0] == x.shape[1], input_length.shape[0] == x.shape[1], label_length.shape[0] == x.shape[1],
    )  # fmt: skip


def log_likelihood(scores: Any, t: Any, blank_symbol: int, input_length: Any, label_length: Any) -> Any:
    """The logarithm of the probability of t, by the forward recursion.

    Args:
        scores: logarithms of probabilities, ``(steps, batch, symbols)``.
        t: the symbols, ``(batch, longest)``.
        blank_symbol: the symbol between all others.
        input_length: how many steps count, ``(batch,)``.
        label_length: how many symbols count, ``(batch,)``.
    """
    xp = get_array_module(t)
    path = xp.full((t.shape[0], 2 * t.shape[1] + 1), blank_symbol)
    path[:, 1::2] = t
    floor = impossible(scores.dtype)
    start = np.where(xp.arange(path.shape[1]) < 2, scores.dtype.type(0), floor)
    # From two places before one may come to a symbol that differs from the one there.
    skips = xp.zeros(path.shape, bool)
    skips[:, 3::2] = path[:, 3::2] != path[:, 1:-2:2]
    emitted = np.take_along_axis(scores, np.broadcast_to(path, (scores.shape[0], *path.shape)), 2)
    alpha = start + emitted[0]
    for step in range(1, scores.shape[0]):
        one, two = (shifted(alpha, places, floor, xp) for places in (1, 2))
        come = np.logaddexp(np.logaddexp(alpha, one), np.where(skips, two, floor))
        alpha = np.where((step < input_length)[:, None], come + emitted[step], alpha)
    rows, last = xp.arange(len(t)), 2 * label_length
    before = np.where(last > 0, alpha[rows, np.maximum(last - 1, 0)], floor)
    return np.maximum(np.logaddexp(alpha[rows, last], before), floor)


def impossible(dtype: Any) -> Any:
    """:data:`IMPOSSIBLE`, or what is as good where the dtype does not reach so far."""
    return dtype.type(max(IMPOSSIBLE, float(np.finfo(dtype).min) / 2))


def shifted(alpha: Any, places: int, floor: Any, xp: Any) -> Any:
    """What comes from so many places before."""
    kept = max(alpha.shape[1] - places, 0)
    outside = xp.full((alpha.shape[0], alpha.shape[1] - kept), floor, alpha.dtype)
    return np.concatenate((outside, alpha[:, :kept]), axis=1)


ConnectionistTemporalClassification = function_class(
    "ConnectionistTemporalClassification",
    lambda input_length, label_length, t, *xs, **given: connectionist_temporal_classification(
        xs, t, input_length=input_length, label_length=label_length, **given
    ),
    "blank_symbol, reduce='mean'",
    called=True,
)
