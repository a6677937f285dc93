"""Dense Jacobians of few entries, from a few directions: where only shapes are known, as under ``jit``.

What an operation does not mix is known from the operations alone. A compiled program then takes a direction for each
color of the pattern, and puts the entries where they belong, rather than a direction for each input.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast
from autodiff.ops.index import scatter_add
from autodiff.ops.shape import reshape
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.spec import Spec, spec_of
from autodiff.transforms.linearize import TangentMap
from autodiff.transforms.sparse.compression import by_columns
from autodiff.transforms.sparse.dependence import TooManyError
from autodiff.transforms.sparse.matrices import gathered
from autodiff.transforms.sparse.patterns import blocks_of, derived
from autodiff.transforms.sparse.values import Evidence

WORTH = 4
"""Directions must be so many times fewer than columns."""


def dense_blocks(at: TangentMap, arguments: Sequence[Spec], results: Sequence[Spec]) -> list[list[Any]] | None:
    """The blocks of a Jacobian, by results and arguments; None where it takes too many directions.

    Args:
        at: the function at a point, with the tape of its tangents.
        arguments: the specs of the arguments' leaves.
        results: those of the results' leaves.
    """
    width = sum(own.size for own in arguments)
    evidence = Evidence()
    try:
        pattern = derived(at.staged.tape, len(arguments), at.depends, results, evidence)
    except (TooManyError, DifferentiationError):
        return None  # so many entries that nothing is saved
    if not pattern.nnz or evidence.zeros or longest_row(pattern) * WORTH > width:
        return None  # a zero of a constant that meets an infinity is NaN in its own entry alone
    compression = by_columns(pattern)
    if compression.count * WORTH > width:
        return None
    data = gathered(compression, at.push, at.push_masked, arguments, at.leaves)
    blocks = blocks_of(compression.pattern, arguments, results)
    return [
        [dense(block, data, (*result.shape, *argument.shape), result.dtype) for block, argument in zip(row, arguments)]
        for row, result in zip(blocks, results)
    ]


def longest_row(pattern: Any) -> int:
    """How many entries a row has at most: there are at least as many colors."""
    return int(np.diff(pattern.indptr).max(initial=0))


def dense(block: Any, data: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A block with its zeros."""
    own = data if block.entries is None else data[block.entries]
    if spec_of(own).dtype != dtype:
        own = cast(own, dtype=dtype)
    pattern = block.pattern
    places = pattern.rows * pattern.shape[1] + pattern.columns
    return reshape(scatter_add(own, places, length=prod(pattern.shape), rest=0, rank=1), shape=shape)
