"""Differences on both sides of a point, extrapolated, with steps searched from large to small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.slope import Slope, better, slope_of, unknown
from autodiff.trace.tree import Structure, flatten

Array = NDArray[Any]

FIRST_STEP = 2.0**-7
"""The first step, relative to the magnitude of the arguments; every later one is half of the one before."""

SMALLEST = 2.0**-5
"""Arguments smaller than this count as this large, so that rounding does not swallow the difference."""

LARGEST = 2.0**3
"""Functions of larger arguments may change within less than the first step: then more steps are tried."""

LEVELS = 6
ROUNDS = 3
MOST_ROUNDS = 8

ACCURATE = 1e-9
"""Relative error that ends the search for better steps."""

USABLE = 1e-7
"""Relative error that ends it where smaller steps have not halved it."""

TINY = 1e-30
"""Smaller arguments are moved as zeros are."""


def first_step(primals: Sequence[Any], tangents: Sequence[Any]) -> float:
    """The step that moves no leaf by more than `FIRST_STEP` of its magnitude."""
    speeds = [_largest(v) / max(_largest(x), SMALLEST) for x, v in zip(primals, tangents, strict=True)]
    return FIRST_STEP / (max(speeds, default=0.0) or 1.0)


def rounds_for(primals: Sequence[Any]) -> int:
    """How often the step may be made smaller by `LEVELS` halvings.

    It ends well below the magnitude of small arguments, and below one where they are large.
    """
    sizes = [size for size in map(_largest, primals) if TINY < size < np.inf]
    away = max((max(np.log2(SMALLEST / size), np.log2(size / LARGEST)) for size in sizes), default=0.0)
    return min(MOST_ROUNDS, ROUNDS + int(np.ceil(max(away, 0.0) / LEVELS)))


def slopes_along(along: Callable[[float], Any], step: float, rounds: int = ROUNDS) -> tuple[list[Slope], Structure]:
    """The slope at 0 of every leaf of a function of one number, and the structure of its output.

    Args:
        along: the function; it returns a tree of arrays.
        step: the first step.
        rounds: how often the step may be made smaller by `LEVELS` halvings.
    """
    leaves, structure = flatten(along(0.0))
    here = [np.asarray(leaf) for leaf in leaves]
    best = [unknown(leaf) for leaf in here]
    for first in (step * 2.0 ** -(LEVELS * search) for search in range(rounds)):
        before, best = best, [better(*pair) for pair in zip(best, _differences(along, first, here), strict=True)]
        if all(_is_enough(*known) for known in zip(before, best, here, strict=True)):
            break
    return best, structure


def central_derivative(along: Callable[[float], Any], step: float, rounds: int = ROUNDS) -> tuple[Any, Any]:
    """The derivative of a function of one number at 0, and its estimated error: two trees like the output.

    At a kink it is the middle of the one-sided derivatives, and the error reaches both.
    """
    found, structure = slopes_along(along, step, rounds)
    return structure.unflatten(one.limit for one in found), structure.unflatten(one.error + one.radius for one in found)


def _differences(along: Callable[[float], Any], step: float, here: list[Array]) -> list[Slope]:
    steps = [step * 2.0**-level for level in range(LEVELS)]
    ahead = [flatten(along(step))[0] for step in steps]
    behind = [flatten(along(-step))[0] for step in steps]
    columns = zip(zip(*ahead, strict=True), zip(*behind, strict=True), here, strict=True)
    return [slope_of(*column, steps) for column in columns]


def _is_enough(before: Slope, now: Slope, here: Array) -> bool:
    """Whether every element is accurate, or as accurate as smaller steps can make it."""
    scale = np.maximum(abs(now.limit), abs(here)) if here.dtype.kind in "fc" else 1.0
    noisy = (now.error <= USABLE * scale) & (now.error >= before.error / 2)
    return bool(((now.error <= ACCURATE * scale) | noisy).all())


def _largest(array: Any) -> float:
    return float(np.max(np.abs(array), initial=0.0))
