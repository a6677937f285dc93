"""The laws of batching: vmap is a stacked loop, for the value and for the gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.lawbook.agreement import same_shape, scale_of
from autodiff.testing.lawbook.closeness import difference
from autodiff.testing.mismatch import Violation
from autodiff.testing.problem import Problem, is_inexact

ROWS = 3
STEP = 2.0**-8
PRECISION = {"float64": 1e-11, "complex128": 1e-11, "float32": 1e-4, "complex64": 1e-4, "float16": 1e-2}
"""Relative difference allowed between a batched operation and a loop, which may add in another order.

The least precise argument decides: a gradient by a double may have been computed in single precision.
"""

Axes = tuple[int | None, ...]
MAPPED = (np.ndarray, np.generic, float, complex)


def batch(problem: Problem) -> None:
    """vmap(fun) is the stacked loop over fun, whichever arguments are mapped and along whichever axis."""
    rows = [problem.moved(STEP * row) for row in range(ROWS)]
    for axes in axes_to_map(problem.leaves):
        mapped_like_loop(problem.flattened, rows, axes)


def batch_of_gradient(problem: Problem) -> None:
    """vmap of the gradient is the stacked loop over the gradient."""
    gradient = problem.pulled
    rows = [gradient.moved(STEP * row) for row in range(ROWS)]
    for axes in axes_to_map(gradient.leaves):
        mapped_like_loop(gradient.flat, rows, axes)


def axes_to_map(leaves: Sequence[Any]) -> Iterator[Axes]:
    """All arrays along axis 0; then the first alone along its last axis, and the last alone along axis 0.

    Indices are never mapped alone: NumPy does not tell us of a traced index into a plain array. Python's
    whole numbers, bools and strings are options rather than data: they are not mapped at all.
    """
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, MAPPED)]

    def mapping(*chosen: tuple[int, int]) -> Axes:
        axes = dict(chosen)
        return tuple(axes.get(place) for place in range(len(leaves)))

    data = [place for place in places if is_inexact(leaves[place])]
    if places:
        yield mapping(*((place, 0) for place in places))
    if data:
        yield mapping((data[0], np.ndim(leaves[data[0]])))
    if len(data) > 1:
        yield mapping((data[-1], 0))


def mapped_like_loop(fun: Callable[..., Sequence[Any]], rows: Sequence[Sequence[Any]], axes: Axes) -> None:
    """Check vmap(fun) against a loop over the rows; leaves whose axis is None stay those of the first row."""
    stacked = [
        rows[0][place] if axis is None else np.stack([row[place] for row in rows], axis)
        for place, axis in enumerate(axes)
    ]
    batched = autodiff.vmap(fun, in_axes=axes)(*stacked)
    precision = max(PRECISION.get(np.asarray(leaf).dtype.name, 0.0) for leaf in stacked)
    looped = [fun(*_row(stacked, axes, row)) for row in range(len(rows))]
    for number, (actual, parts) in enumerate(zip(batched, zip(*looped, strict=True), strict=True)):
        desired = np.stack(parts)
        name = f"result {number} of vmap with in_axes={axes}"
        same_shape(actual, desired, name)
        if actual.dtype != desired.dtype:
            raise Violation(f"  in         {name}\n  arrived    {actual.dtype}\n  expected   {desired.dtype}")
        found = difference(actual, desired, precision * scale_of(desired))
        if found is not None:
            raise Violation(f"  in         {name}\n{found}")


def _row(stacked: Sequence[Any], axes: Axes, row: int) -> list[Any]:
    return [
        leaf if axis is None else leaf[(slice(None),) * axis + (row,)] for leaf, axis in zip(stacked, axes, strict=True)
    ]
