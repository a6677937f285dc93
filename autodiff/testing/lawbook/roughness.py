"""The law of digits: a derivative in double precision is not computed in single precision on the way.

Nobody sees the lost digits in one value. Along a line they show: a smooth function is smooth down to its last digits,
and one that was rounded on the way is rough. Fourth differences at small steps leave roughness alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.differences.numerical import move
from autodiff.testing.lawbook.agreement import ROUNDING, scale_of
from autodiff.testing.mismatch import Violation
from autodiff.testing.problem import Problem

Array = NDArray[Any]

STEPS = (2.0**-16, 2.0**-20)
"""Steps relative to the arguments. What is smooth, or has a kink, becomes smaller with the step; roughness does not."""

FINE = tuple(1.222 * 2.0**-place for place in (14, 20, 26, 32, 38))
"""Steps at which rounding is seen that is larger than that of the value itself: by powers of two there may be none."""

GRAIN = 2.0**-40
"""Numbers of size one, such as log(2), leave smaller grains behind, and steps of functions are larger."""

POINTS = range(-4, 5)
DIFFERENCE = np.array([1.0, -4.0, 6.0, -4.0, 1.0])

STAYS = 0.25
"""Roughness that keeps this part of itself at a much smaller step is rounding."""

DIGITS = 2.0**-30
"""Roughness relative to the derivative from which digits are missing: single precision has some 2**-25."""

NOT_SMOOTH = 2.0**-6
"""Changes relative to the derivative that are no rounding, whatever the precision."""


def digits(problem: Problem) -> None:
    """A derivative in double precision has the digits of double precision."""
    if not all(np.asarray(x).dtype in (np.float64, np.complex128) for x in (*problem.primals, *problem.results)):
        return
    for one in problem.beside() if problem.kinked else [problem]:  # at a kink derivatives jump, which is rough
        if one.differentiable and not one.kinked:
            _digits(one)


def _digits(problem: Problem) -> None:
    if any(_rough(*one, 0.0).any() for one in roughness(problem, problem)):
        return  # the function itself is computed in less
    found = roughness(problem.pulled, problem)
    floor = ROUNDING * scale_of(*problem.pulled.sizes)
    for name, (fine, coarse, size) in zip(problem.gradient_names, found, strict=True):
        missing = _rough(fine, coarse, size, floor)
        if missing.any():
            index = tuple(int(k) for k in np.argwhere(missing)[0])
            raise Violation(
                f"  in         {name}{list(index) if index else ''}\n"
                f"  arrived    digits down to {fine[index] / size[index]:.2g} of {size[index]:.6g}\n"
                "  expected   digits down to 2.2e-16 of it; the rule is computed in lower precision than its input"
            )


def rounding_of(smooth: Problem, problem: Problem) -> list[Array]:
    """For every result how far rounding throws it: the roughness that stays from one step to the next.

    What shrinks with the step is curvature, or a kink; steps longer than those that found the slope may be whole
    periods. Of values with few digits the smallest steps show nothing, since nothing changes.
    """
    rows = [[rough for rough, _ in fourth_differences(smooth, problem, step)] for step in FINE]
    return [
        _staying(np.stack(column), slope.reach)
        for column, slope in zip(zip(*rows, strict=True), smooth.slopes, strict=True)
    ]


def _staying(rough: Array, reach: Array) -> Array:
    coarse, fine = rough[:-1], rough[1:]
    steps = np.reshape(FINE[:-1], (-1,) + (1,) * np.ndim(reach))
    stays = (fine > coarse * STAYS) & (steps < reach)
    lost = (fine == 0) & (coarse < GRAIN) & (steps < reach)  # nothing changes any more
    return np.asarray(np.max(np.where(stays, np.minimum(coarse, fine), np.where(lost, coarse, 0.0)), axis=0))


def roughness(smooth: Problem, problem: Problem) -> list[tuple[Array, Array, Array]]:
    """For every result its roughness with the small step and with the large one, and its size."""
    coarse, fine = ([*fourth_differences(smooth, problem, step)] for step in STEPS)
    return [(b, a, size) for (a, _), (b, size) in zip(coarse, fine, strict=True)]


def fourth_differences(smooth: Problem, problem: Problem, step: float) -> Sequence[tuple[Array, Array]]:
    """For every result its roughness along the problem's direction, and its size."""
    rows = [
        smooth.flat(*(move(x, v, k * step) for x, v in zip(problem.primals, problem.tangents, strict=True)))
        for k in POINTS
    ]
    return [_fourth(np.stack([np.asarray(one) for one in column])) for column in zip(*rows, strict=True)]


def _fourth(values: Array) -> tuple[Array, Array]:
    """The root of the mean square of fourth differences, in units of one rounding error, and the largest value."""
    windows = len(POINTS) - len(DIFFERENCE) + 1
    found = [np.tensordot(DIFFERENCE, values[k : k + len(DIFFERENCE)], 1) for k in range(windows)]
    rms = np.sqrt(np.mean(abs(np.stack(found)) ** 2, axis=0)) / np.linalg.norm(DIFFERENCE)
    return np.asarray(rms), np.asarray(np.max(abs(values), axis=0))


def _rough(fine: Array, coarse: Array, size: Array, floor: float) -> NDArray[np.bool_]:
    stays = (fine > coarse * STAYS) & (fine > DIGITS * size + floor)
    return np.asarray(stays & (fine < NOT_SMOOTH * size))
