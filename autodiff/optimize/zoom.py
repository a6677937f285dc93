"""A search along a line for the strong Wolfe conditions: one loop, of which each step looks at one point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff.trace.trees.tree import map_tree
from autodiff.transforms.control.while_loop import while_loop

NEAR = 0.1
"""A new point keeps this part of the bracket away from its ends."""


class Point(NamedTuple):
    """A rate, the value of the function there, and its slope."""

    rate: Any
    value: Any
    slope: Any


class Search(NamedTuple):
    """What the search knows.

    Attributes:
        count: how many points it has looked at.
        trial: the rate to look at next.
        low: the best point with enough decrease.
        high: the other end of the bracket; while there is no bracket, like ``low``.
        bracketed: whether the conditions hold somewhere between the two.
        done: whether they hold at ``low``.
    """

    count: Any
    trial: Any
    low: Point
    high: Point
    bracketed: Any
    done: Any


def strong_wolfe(
    along: Callable[[Any], Point],
    start: Point,
    steps: int,
    greatest: float | None,
    slope_rtol: float,
    curv_rtol: float,
) -> Point:
    """A point that meets the conditions, or the best one that was found in so many steps.

    Args:
        along: gives the point at a rate.
        start: the point at 0.
        steps: how many points it may look at.
        greatest: the greatest rate; None for none.
        slope_rtol: which part of the decrease that the slope promises is asked for.
        curv_rtol: which part of the slope may be left.
    """
    dtype = start.value.dtype

    def unfinished(search: Search) -> Any:
        return ~search.done & (search.count < steps)

    def look(search: Search) -> Search:
        found = along(search.trial)
        enough = found.value <= start.value + slope_rtol * found.rate * start.slope
        better = enough & (found.value < search.low.value)
        flat = better & (np.abs(found.slope) <= curv_rtol * np.abs(start.slope))
        ahead = np.where(search.bracketed, search.high.rate - search.low.rate, 1)
        turned = better & (found.slope * ahead >= 0)
        low = choose(better, found, search.low)
        high = choose(better, choose(turned, search.low, choose(search.bracketed, search.high, found)), found)
        at_end = np.bool_(False) if greatest is None else better & (found.rate >= greatest)
        bracketed = search.bracketed | ~better | turned
        trial = np.where(bracketed, between(low, high), 2 * found.rate)
        if greatest is not None:
            trial = np.minimum(trial, greatest)
        return Search(search.count + 1, trial[()].astype(dtype), low, high, bracketed, flat | at_end)

    first = dtype.type(1) if greatest is None else dtype.type(min(1, greatest))
    begin = Search(np.int64(0), first, start, start, np.bool_(False), np.bool_(False))
    return while_loop(unfinished, look, begin, steps).low  # type: ignore[no-any-return]


def choose(condition: Any, one: Point, other: Point) -> Point:
    """One of two points."""

    def chosen(a: Any, b: Any) -> Any:
        found: Any = np.where(condition, a, b)
        return found[()]

    return map_tree(chosen, one, other)  # type: ignore[no-any-return]


def between(low: Point, high: Point) -> Any:
    """The minimum of the cubic through two points and their slopes, away from the ends; the middle if it has none."""
    width = high.rate - low.rate
    none = width == 0
    safe = np.where(none, 1, width)
    a = low.slope + high.slope - 3 * (high.value - low.value) / safe
    square = a * a - low.slope * high.slope
    b = np.sign(safe) * np.sqrt(np.maximum(square, 0))
    below = high.slope - low.slope + 2 * b
    part = 1 - (high.slope + b - a) / np.where(below == 0, 1, below)
    usable = (square >= 0) & (below != 0) & np.isfinite(part)
    return low.rate + width * np.where(usable, np.clip(part, NEAR, 1 - NEAR), 0.5)
