"""Differences on both sides of a point, extrapolated, with steps searched from large to small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.differences.slope import Slope, better, settled, slope_of, unknown
from autodiff.trace.trees.tree import TreeDef, flatten

Array = NDArray[Any]

FIRST_STEP = 0.00611
"""The first step, relative to the magnitude of the arguments; every later one is half of the one before.

No power of two: differences that are multiples of one unit in the last place would agree with each other by accident.
"""

SMALLEST = 2.0**-5
"""At smaller arguments larger steps are tried, too: rounding may swallow what small ones change."""

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
    speeds = [_largest(v) / (_size(x) or SMALLEST) for x, v in zip(primals, tangents, strict=True)]
    return FIRST_STEP / (max(speeds, default=0.0) or 1.0)


def scales_for(primals: Sequence[Any]) -> list[float]:
    """By what to multiply the first step, in the order in which that is tried.

    It becomes smaller by `LEVELS` halvings, the more often the larger arguments are: functions may change within less
    than a part of them. At small arguments it becomes larger after that.
    """
    sizes = [size for size in map(_size, primals) if size]
    far = max((np.log2(size / LARGEST) for size in sizes), default=0.0)
    near = max((np.log2(SMALLEST / size) for size in sizes), default=0.0)
    smaller = min(MOST_ROUNDS, ROUNDS + int(np.ceil(max(far, 0.0) / LEVELS)))
    larger = min(MOST_ROUNDS, int(np.ceil(max(near, 0.0) / LEVELS)))
    return [2.0 ** -(LEVELS * k) for k in range(smaller)] + [2.0 ** (LEVELS * k) for k in range(1, larger + 1)]


def _size(primal: Any) -> float:
    """The largest magnitude of a leaf; zero where it vanishes, or is as small as what vanishes."""
    size = _largest(primal)
    return size if TINY < size < np.inf else 0.0


def slopes_along(
    along: Callable[[float], Any], step: float, scales: Sequence[float], *, thorough: bool = False
) -> tuple[list[Slope], TreeDef]:
    """The slope at 0 of every leaf of a function of one number, and the structure of its output.

    Args:
        along: the function; it returns a tree of arrays.
        step: the first step.
        scales: by what to multiply it, as `scales_for` says.
        thorough: whether to try all of them, though the first ones agree: they may be whole periods.
    """
    leaves, structure = flatten(along(0.0))
    here = [np.asarray(leaf) for leaf in leaves]
    best = [unknown(leaf) for leaf in here]
    for scale in scales:
        found = _differences(along, scale * step, here)
        before, best = best, [better(*pair, larger=scale > 1) for pair in zip(best, found, strict=True)]
        if not thorough and all(_is_enough(*known) for known in zip(before, best, here, strict=True)):
            break
    return [settled(one) for one in best], structure


def central_derivative(along: Callable[[float], Any], step: float, scales: Sequence[float]) -> tuple[Any, Any]:
    """The derivative of a function of one number at 0, and its estimated error: two trees like the output.

    At a kink it is the middle of the one-sided derivatives, and the error reaches both.
    """
    found, structure = slopes_along(along, step, scales)
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
