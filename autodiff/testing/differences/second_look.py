"""What is found out before a derivative is called wrong: other steps, its own rounding, and pieces that meet nearby.

Numerical derivatives are cheap and nearly always right. Where one contradicts a derivative, these are less cheap:

- differences with other steps, which do not go wrong in the same way;
- the derivative at arguments that differ in the last places, which shows how many of its digits are rounding;
- values at all distances, which show how many digits they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.differences.central import FIRST_STEP, LEVELS
from autodiff.testing.differences.numerical import move
from autodiff.testing.differences.pieces import pieces_near
from autodiff.testing.differences.slope import CONTRADICTION, Slope
from autodiff.testing.lawbook.roughness import GRAIN, rounding_of
from autodiff.testing.problem import Problem

Array = NDArray[Any]

OTHER_STEPS = 0.37
LAST_PLACES = (2.0**-51, 2.0**-50, 2.0**-42, 2.0**-40)
"""By what parts of themselves arguments are moved to see rounding: of near neighbours it may hide."""

DISTANCES = tuple(2.0**-place for place in (51, 48, 44, 40, 32, 24, 16, 12, 8, 6, 5, 4))
"""How far away values are looked at to see by how much they change at least."""

FURTHER = (0.25, 1.0, 4.0)

SHORTEST = FIRST_STEP / 2.0**LEVELS
"""The step by which roughness and grain are divided in the most exact numerical derivatives of smooth functions."""

ROUGHNESS = 16.0
"""How many times what roughness makes of it a numerical derivative may be off: of thousands one is far off."""

MEETING = 1e-6
"""The relative error that the rounding of larger slopes may add: less than what makes a slope uncertain."""

NOISE = 16.0
"""How many times the noise that was seen a derivative may be off."""


Derivative = Callable[[Sequence[Any]], Sequence[Any]]


def careful_slopes(problem: Problem, derivative: Derivative, largest: float = 1.0, fastest: float = 0.0) -> list[Slope]:
    """The numerical derivatives of a problem, with what other steps and rounding say of their errors.

    Args:
        problem: the function and where.
        derivative: the derivative along `problem.tangents` as a function of the primals.
        largest: how large the numbers are of which the function is made.
        fastest: the same of its derivative. Where they meet, and nowhere else, it is off by their rounding.
    """
    others = problem.slopes_at(problem.primals, OTHER_STEPS, thorough=True)
    noise = rounding_noise(problem, derivative)
    rough = rounding_of(problem, problem)
    steady = [(ROUGHNESS * one + grain) / SHORTEST for one, grain in zip(rough, grains(problem, largest), strict=True)]
    slopes = [_excused(*column) for column in zip(problem.slopes, others, noise, steady, strict=True)]
    if not problem.elementwise:
        unit = np.finfo(np.float64).eps * fastest
        slopes = [_cancelling(slope, unit, size) for slope, size in zip(slopes, problem.sizes, strict=True)]
    return beside_kinks(problem, slopes, largest)


def beside_kinks(problem: Problem, slopes: Sequence[Slope], largest: float = 1.0) -> list[Slope]:
    """The slopes with those of the pieces that meet in the point, or so near to it that steps cannot tell.

    The problem takes note of it where there are any.
    """

    def values(primals: Sequence[Any]) -> Sequence[Any]:
        return problem.flat(*primals)

    pieces = pieces_near(values, problem.primals, problem.tangents, problem.results, largest)
    problem.near_kink = problem.near_kink or any(one.near.any() for one in pieces)
    return [one.widen(slope, problem.kinked) for one, slope in zip(pieces, slopes, strict=True)]


def grains(problem: Problem, largest: float) -> list[Array]:
    """By how much the values change, where they change least: what was made of larger numbers moves in their units.

    A value that is made of one unit in the last place of its origins stays what it is over many steps, and then is
    twice as large.
    """
    steps = [sign * distance for distance in (*DISTANCES, *FURTHER) for sign in (1, -1)]
    rows = [problem.flat(*problem.near(step)) for step in steps]
    apart = [
        abs(np.stack(column) - here) for column, here in zip(zip(*rows, strict=True), problem.results, strict=True)
    ]
    near, far = len(steps), len(FURTHER) * 2
    return [_grain(one[: near - far], one[near - far :], GRAIN * largest) for one in apart]


def _grain(near: Array, far: Array, tiny: float) -> Array:
    """The least change nearby; where nothing changes there, the least one further away, if it is tiny."""
    least, further = (np.min(np.where(part > 0, part, np.inf), axis=0) for part in (near, far))
    return np.asarray(np.where(np.isfinite(least), least, np.where(further < tiny, further, 0.0)))


def _excused(slope: Slope, other: Slope, noise: Array, roughness: Array) -> Slope:
    apart = abs(slope.limit - other.limit)
    contradicted = apart > CONTRADICTION * (slope.error + other.error) + slope.radius + other.radius
    error = (
        np.where(contradicted, apart, np.maximum(slope.error, other.doubt)) + NOISE * noise + np.nan_to_num(roughness)
    )
    return replace(slope, error=np.where(np.isnan(error), np.inf, error))


def _cancelling(slope: Slope, unit: float, size: Any) -> Slope:
    """A slope off by a unit of larger ones; where it would be uncertain for that alone, it is still judged."""
    most = MEETING * np.maximum(np.nan_to_num(abs(slope.limit)), size)
    return replace(slope, error=slope.error + np.minimum(unit, most))


def rounding_noise(problem: Problem, derivative: Derivative) -> list[Array]:
    """How much the derivative changes where arguments change in their last places."""
    random = np.random.default_rng(len(problem.primals))
    found = []
    for distance in LAST_PLACES:
        shaken = tuple(_shaken(x, x, distance, random) for x in problem.primals)
        found.append([np.asarray(one) for one in derivative(shaken)])
    return [np.asarray(np.nan_to_num(abs(np.stack(one) - one[0]).max(axis=0))) for one in zip(*found, strict=True)]


def _shaken(x: Any, scale: Any, distance: float, random: np.random.Generator) -> Any:
    """x with every element moved at random by about `distance` times the element of `scale`; zeros keep their sign."""
    signs = random.choice((-1.0, 1.0), np.shape(x)) * random.uniform(0.5, 1.0, np.shape(x))
    moved = move(x, np.asarray(scale) * signs, distance)
    return np.where(np.asarray(x) == 0, x, moved) if isinstance(x, np.ndarray) and 0 in x else moved
