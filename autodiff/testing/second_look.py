"""What is found out before a derivative is called wrong: other steps, its own rounding, and pieces that meet nearby.

Numerical derivatives are cheap and nearly always right. Where one contradicts a derivative, these are less cheap:

- differences with other steps, which do not go wrong in the same way;
- the derivative at arguments that differ in the last places, which shows how many of its digits are rounding;
- numerical derivatives at arguments nearby. Where several smooth pieces meet, as when three elements of `sort` are
  equal, the slope of any of them is a derivative, whichever two the direction happens to lie in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import autodiff
from autodiff.testing.numerical import move
from autodiff.testing.problem import Problem
from autodiff.testing.slope import CONTRADICTION, Slope

Array = NDArray[Any]

OTHER_STEPS = 0.37
LAST_PLACES = 2.0**-51
ROUNDINGS = 4

NOISE = 16.0
"""How many times the noise that was seen a derivative may be off."""

BESIDE = (2.0**-12, 2.0**-16)
"""How far away pieces are looked for, relative to the arguments: slopes of pieces stay apart as the distance shrinks."""

NEIGHBOURS = 12
PIECES = 1e-3
"""Slopes nearby that differ by less than this part of them do not belong to several pieces."""

MARGIN = 1.25
"""By how much the slopes found nearby are widened: not every piece is come upon."""


def careful_slopes(problem: Problem) -> list[Slope]:
    """The numerical derivatives of a problem, with all that may excuse another derivative in their errors and radii."""
    noise = rounding_noise(problem)
    columns = zip(problem.slopes, problem.slopes_at(problem.primals, OTHER_STEPS), noise, pieces(problem), strict=True)
    return [_excused(*column) for column in columns]


def _excused(slope: Slope, other: Slope, noise: Array, spread: tuple[Array, Array]) -> Slope:
    apart = abs(slope.limit - other.limit)
    contradicted = apart > CONTRADICTION * (slope.error + other.error) + slope.radius + other.radius
    error = np.where(contradicted, apart, slope.error) + NOISE * noise
    middle, radius = spread
    there = radius > 0
    return replace(
        slope,
        limit=np.where(there, middle, slope.limit),
        error=np.where(np.isnan(error), np.inf, error),
        radius=np.where(there, np.maximum(radius, slope.radius), slope.radius),
    )


def rounding_noise(problem: Problem) -> list[Array]:
    """How much the derivative changes where arguments change in their last places."""
    random = np.random.default_rng(len(problem.primals))
    found = []
    for _ in range(ROUNDINGS):
        shaken = tuple(_shaken(x, x, LAST_PLACES, random) for x in problem.primals)
        found.append([np.asarray(one) for one in autodiff.jvp(problem.flat, shaken, problem.tangents)[1]])
    return [np.asarray(np.nan_to_num(abs(np.stack(one) - one[0]).max(axis=0))) for one in zip(*found, strict=True)]


def pieces(problem: Problem) -> list[tuple[Array, Array]]:
    """The middle and half the extent of the slopes of all pieces that meet here; zeros where there is one alone."""
    far, near = (_extents(problem, distance) for distance in BESIDE)
    return [_persistent(*pair) for pair in zip(far, near, strict=True)]


def _persistent(far: tuple[Array, Array], near: tuple[Array, Array]) -> tuple[Array, Array]:
    apart = (near[1] > PIECES * abs(near[0])) & (near[1] > far[1] / 2)
    return near[0], np.where(apart, MARGIN * near[1], 0.0)


def _extents(problem: Problem, distance: float) -> list[tuple[Array, Array]]:
    random = np.random.default_rng(1)
    found = []
    for _ in range(NEIGHBOURS):
        primals = [_shaken(x, v, distance, random) for x, v in zip(problem.primals, problem.tangents, strict=True)]
        found.append([slope.limit for slope in problem.slopes_at(primals, distance / 8)])
    return [_extent(np.stack(limits)) for limits in zip(*found, strict=True)]


def _extent(limits: Array) -> tuple[Array, Array]:
    """The middle of the slopes, and how far they lie from it: that of a disc where they are complex."""
    if limits.dtype.kind == "c":
        middle = np.mean(limits, axis=0)
        return middle, np.max(abs(limits - middle), axis=0)
    high, low = np.max(limits, axis=0), np.min(limits, axis=0)
    return (high + low) / 2, (high - low) / 2


def _shaken(x: Any, scale: Any, distance: float, random: np.random.Generator) -> Any:
    """x with every element moved at random by about `distance` times the element of `scale`."""
    signs = random.choice((-1.0, 1.0), np.shape(x)) * random.uniform(0.5, 1.0, np.shape(x))
    return move(x, np.asarray(scale) * signs, distance)
