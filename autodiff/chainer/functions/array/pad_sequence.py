"""Sequences of different lengths as one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import demand_some, numbered
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def pad_sequence(xs: Sequence[Any], length: int | None = None, padding: Any = 0) -> Variable:
    """Sequences, filled up to one length, as the rows of one array.

    Args:
        xs: arrays of one dtype that differ in their first axis at most.
        length: the length; that of the longest sequence if None.
        padding: what fills up.

    Returns:
        an array of shape (number of sequences, length, ...).

    Raises:
        InvalidType: if dtypes or shapes do not fit, a sequence is too long, or there is none.

    >>> pad_sequence((np.array([1.0, 2.0]), np.array([3.0])))
    variable([[1., 2.],
              [3., 0.]])
    """
    arrays = tuple(xs)
    demand_some("PadSequence", arrays)
    return apply(
        "PadSequence", lambda *xs: filled_up(xs, length, padding), arrays, lambda *xs: alike(numbered(xs), length)
    )


def filled_up(xs: Sequence[Any], length: int | None, padding: Any) -> Any:
    """The rows, each with its margin."""
    size = max(x.shape[0] for x in xs) if length is None else length
    rest = ((0, 0),) * (xs[0].ndim - 1)
    return np.stack([np.pad(x, ((0, size - x.shape[0]), *rest), constant_values=padding) for x in xs])


def alike(xs: Sequence[Any], length: int | None) -> tuple[Any, ...]:
    """Whether dtypes and inner shapes are equal, and no sequence is too long."""
    first = xs[0]
    conditions = []
    for x in xs:
        conditions += [x.ndim > 0, x.shape[1:] == first.shape[1:], x.dtype == first.dtype]
        if length is not None:
            conditions.append(x.shape[0] <= length)
    return tuple(conditions)


PadSequence = function_class("PadSequence", pad_sequence, "length, padding", of_list=True)
