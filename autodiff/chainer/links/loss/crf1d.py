"""The link of a conditional random field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.chainer.functions.array.transpose_sequence import transpose_sequence
from autodiff.chainer.functions.loss.crf1d import argmax_crf1d, crf1d
from autodiff.chainer.link import Link
from autodiff.facade import Parameter, Variable


class CRF1d(Link):
    """A conditional random field over chains of labels: what going from label to label costs is learned.

    Args:
        n_label: how many labels there are.
        initial_cost: fills the scores of going from a label to the next one; zeros if None.

    >>> import numpy as np
    >>> CRF1d(2)([np.zeros((1, 2), "f")] * 3, [np.zeros(1, "i")] * 3)
    variable(2.0794415)
    """

    def __init__(self, n_label: int, initial_cost: Any = None) -> None:
        super().__init__()
        with self.init_scope():
            self.cost = Parameter(0 if initial_cost is None else initial_cost, (n_label, n_label))

    def forward(self, xs: Sequence[Any], ys: Sequence[Any], reduce: str = "mean", transpose: bool = False) -> Variable:
        """Minus the logarithm of the probability of labels; see :func:`autodiff.chainer.functions.crf1d`.

        Args:
            xs: for each step the scores of the labels, ``(batch, labels)``.
            ys: for each step the labels, ``(batch,)``.
            reduce: ``"mean"``, or ``"no"`` for a loss for each sequence.
            transpose: whether ``xs`` and ``ys`` have an entry for each sequence instead, in any order.
        """
        if transpose:
            order = longest_first(xs)
            xs, ys = (transpose_sequence([sequences[k] for k in order]) for sequences in (xs, ys))
        loss = crf1d(self.cost, xs, ys, reduce)
        return loss[places(order)] if transpose and reduce == "no" else loss

    def argmax(self, xs: Sequence[Any], transpose: bool = False) -> tuple[Variable, list[Any]]:
        """The best labels; see :func:`autodiff.chainer.functions.argmax_crf1d`.

        Args:
            xs: for each step the scores of the labels, ``(batch, labels)``.
            transpose: whether ``xs`` has an entry for each sequence instead, in any order; then the labels do, too.
        """
        if not transpose:
            return argmax_crf1d(self.cost, xs)
        order = longest_first(xs)
        score, path = argmax_crf1d(self.cost, transpose_sequence([xs[k] for k in order]))
        back = places(order)
        rows = [labels.array for labels in transpose_sequence(path)]
        return score[back], [rows[k] for k in back]


def longest_first(sequences: Sequence[Any]) -> list[int]:
    """The numbers of the sequences, sorted by length, those of equal lengths in their order."""
    return sorted(range(len(sequences)), key=lambda k: -len(sequences[k]))


def places(order: Sequence[int]) -> list[int]:
    """Where each number stands in the order."""
    return sorted(range(len(order)), key=order.__getitem__)
