"""Central differences, extrapolated, with steps searched from large to small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.extrapolation import extrapolate
from autodiff.trace.tree import flatten

Array = NDArray[Any]

FIRST_STEP = 2.0**-7
"""The first step, relative to the magnitude of the arguments; every later one is half of the one before."""

SMALLEST = 2.0**-5
"""Arguments smaller than this count as this large, so that rounding does not swallow the difference."""

LEVELS = 6
ROUNDS = 3

ACCURATE = 1e-9
"""Relative error that ends the search for better steps."""

CONTRADICTION = 4.0
"""Two limits further apart than so many times their errors cannot both be right."""


def first_step(primals: Sequence[Any], tangents: Sequence[Any]) -> float:
    """The step that moves no leaf by more than `FIRST_STEP` of its magnitude."""
    speeds = [_largest(v) / max(_largest(x), SMALLEST) for x, v in zip(primals, tangents, strict=True)]
    return FIRST_STEP / (max(speeds, default=0.0) or 1.0)


def central_derivative(along: Callable[[float], Any], step: float) -> tuple[Any, Any]:
    """The derivative of a function of one number at 0, and its estimated error: two trees like the output.

    Args:
        along: the function; it returns a tree of arrays.
        step: the first step.
    """
    leaves, structure = flatten(along(0.0))
    here = [np.asarray(leaf) for leaf in leaves]
    best = [_nothing_known(leaf) for leaf in here]
    for first in (step * 2.0 ** -(LEVELS * search) for search in range(ROUNDS)):
        best = [_better(*pair) for pair in zip(best, _differences(along, first, here), strict=True)]
        if all(_is_accurate(*known, leaf) for known, leaf in zip(best, here, strict=True)):
            break
    limits, errors = zip(*best, strict=True) if best else ((), ())
    return structure.unflatten(limits), structure.unflatten(errors)


def _differences(along: Callable[[float], Any], step: float, here: list[Array]) -> list[tuple[Array, Array]]:
    steps = [step * 2.0**-level for level in range(LEVELS)]
    ahead = [flatten(along(step))[0] for step in steps]
    behind = [flatten(along(-step))[0] for step in steps]
    columns = zip(zip(*ahead, strict=True), zip(*behind, strict=True), here, strict=True)
    return [_limit(*column, steps) for column in columns]


def _limit(ahead: Sequence[Any], behind: Sequence[Any], here: Array, steps: Sequence[float]) -> tuple[Array, Array]:
    """One leaf's limit; its error counts the rounding of values too. Whole numbers have slope 0."""
    if here.dtype.kind not in "fc":
        return np.zeros(here.shape), np.zeros(here.shape)
    slopes = [np.subtract(a, b) / (2 * step) for a, b, step in zip(ahead, behind, steps, strict=True)]
    limit, error = extrapolate(slopes)
    return limit, error + np.finfo(here.dtype).eps * abs(here) / steps[-1]


def _nothing_known(leaf: Array) -> tuple[Array, Array]:
    return np.full(leaf.shape, np.nan, np.result_type(leaf, 0.0)), np.full(leaf.shape, np.inf)


def _better(old: tuple[Array, Array], new: tuple[Array, Array]) -> tuple[Array, Array]:
    """The more accurate of two limits; where they contradict each other, neither is trusted."""
    closer = new[1] < old[1]
    apart = abs(new[0] - old[0])
    error = np.where(apart > CONTRADICTION * (new[1] + old[1]), apart, np.fmin(new[1], old[1]))
    return np.where(closer, new[0], old[0]), error


def _is_accurate(limit: Array, error: Array, here: Array) -> bool:
    return bool((error <= ACCURATE * max(_largest(limit), _largest(here))).all())


def _largest(array: Any) -> float:
    return float(np.max(np.abs(array), initial=0.0))
