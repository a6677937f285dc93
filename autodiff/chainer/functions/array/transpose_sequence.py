"""Sequences of different lengths, turned from rows to columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def transpose_sequence(xs: Sequence[Any]) -> tuple[Variable, ...]:
    """All first elements of sequences, all second ones, and so on.

    Args:
        xs: arrays of one dtype whose first axis is time, the longest first.

    Returns:
        for each time an array of the elements of the sequences that are not over.

    Raises:
        InvalidType: if the lengths increase, or inner shapes differ.

    >>> transpose_sequence((np.array([1.0, 2.0]), np.array([3.0])))
    (variable([1., 3.]), variable([2.]))
    """
    arrays = tuple(xs)
    if not arrays:
        return ()

    def fun(*xs: Any) -> tuple[Any, ...]:
        return tuple(np.stack([x[time] for x in xs if time < x.shape[0]]) for time in range(xs[0].shape[0]))

    return apply("TransposeSequence", fun, arrays, decreasing)


def decreasing(*in_types: Any) -> tuple[Any, ...]:
    """Whether no sequence is longer than the one before, and all have one inner shape."""
    return tuple(
        condition
        for one, other in pairwise(in_types)
        for condition in (one.shape[0] >= other.shape[0], one.shape[1:] == other.shape[1:])
    )


TransposeSequence = function_class(
    "TransposeSequence", lambda xs, length: transpose_sequence(xs), "length", of_list=True
)
