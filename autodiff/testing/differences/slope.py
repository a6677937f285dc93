"""The numerical derivative of one leaf, element by element: smooth, a kink between two one-sided slopes, or a jump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.differences.extrapolation import extrapolate

Array = NDArray[Any]

CONTRADICTION = 4.0
"""Two limits further apart than so many times their errors cannot both be right."""

HARDLY = 1e-3
"""A slope that is this part of what larger steps say shows that the value has no more digits to move by."""

DISTINCT = 1e-6
"""One-sided slopes that differ by less than this part of them are one slope, known no better than they agree."""

STEADY = 0.05
"""Values on a side that move by less than this part of their distance from the value here, over all steps, jump."""

NEARBY = 2.0
"""A change that the slope of the other side makes within so many of the smallest steps is no jump."""

BENT = 0.4
"""A second difference that keeps this part of itself as the step is halved may be a kink; of smooth ones 0.25 stays."""


@dataclass(frozen=True)
class Slope:
    """What differences say of one leaf.

    Attributes:
        limit: the derivative; at a kink the middle of the two one-sided derivatives.
        error: its estimated error, infinite where nothing is known.
        radius: at a kink half the distance between the one-sided derivatives; zero elsewhere.
        jump: by how much the value jumps here; zero where it does not.
        doubt: how far apart the limits of different steps are that contradict each other.
        reach: the longest of the steps that found the derivative.
    """

    limit: Array
    error: Array
    radius: Array
    jump: Array
    doubt: Any = 0.0
    reach: Any = np.inf

    @property
    def kinked(self) -> NDArray[np.bool_]:
        """Where the one-sided derivatives differ."""
        return np.asarray(self.radius > 0)


def unknown(leaf: Array) -> Slope:
    """The slope before any difference is taken."""
    zeros = np.zeros(leaf.shape)
    return Slope(np.full(leaf.shape, np.nan, np.result_type(leaf, 0.0)), np.full(leaf.shape, np.inf), zeros, zeros)


def slope_of(ahead: Sequence[Any], behind: Sequence[Any], here: Array, steps: Sequence[float]) -> Slope:
    """One leaf's slope from its values on both sides; its error counts the rounding of values too.

    Whole numbers have slope 0.

    Args:
        ahead: the values after each step.
        behind: those after the same steps in the other direction.
        here: the value between.
        steps: each half of the one before.
    """
    zeros = np.zeros(here.shape)
    if here.dtype.kind not in "fc":
        return Slope(zeros, zeros, zeros, zeros)
    a, b = np.asarray(ahead), np.asarray(behind)
    widths = np.reshape(steps, (-1,) + (1,) * here.ndim)
    rounding = np.finfo(here.dtype).eps * abs(here) / steps[-1]
    slopes = (a - b) / (2 * widths)
    limit, error = extrapolate(slopes)
    error = np.maximum(error, noise_in(slopes))
    rounding = rounding + np.nan_to_num(np.finfo(here.dtype).eps * abs(limit) / steps[-1])  # that of the arguments
    error, radius = error + rounding, zeros
    kinks = bent(a, b, here)
    if kinks.any():
        limit, error, radius = _kinks((a - here) / widths, (here - b) / widths, rounding, (limit, error), kinks)
    return Slope(limit, error, radius, _jump(a, b, here, steps), reach=np.full(here.shape, steps[0]))


def better(old: Slope, new: Slope, *, larger: bool = False) -> Slope:
    """The more accurate of two slopes, the second by smaller steps, or by `larger` ones.

    Where they contradict each other both are doubted. Larger steps that contradict went past a kink or a pole, and
    smaller ones at which the value hardly moves say nothing: then it has fewer digits than it seems.
    """
    apart = abs(new.limit - old.limit)
    contradicted = apart > CONTRADICTION * (new.error + old.error)
    mute = contradicted & (larger | (abs(new.limit) <= HARDLY * abs(old.limit)))
    taken = (new.error < old.error) & ~mute
    return Slope(
        limit=np.where(taken, new.limit, old.limit),
        error=np.where(taken, new.error, old.error),
        radius=np.where(taken, new.radius, old.radius),
        jump=old.jump if larger else new.jump,
        doubt=np.maximum(old.doubt, np.where(contradicted & ~mute, apart, 0.0)),
        reach=np.where(taken, new.reach, old.reach),
    )


def settled(slope: Slope) -> Slope:
    """The slope at the end of the search, its error as large as what was doubted on the way."""
    return replace(slope, error=np.maximum(slope.error, slope.doubt))


def noise_in(slopes: Array) -> Array:
    """How far slopes are apart where they do not converge as the step shrinks: by rounding, or what lies between steps.

    Agreement among such slopes is an accident. Those of smooth functions come closer by a factor of four each time.
    """
    first, last = abs(slopes[1] - slopes[0]), abs(slopes[-1] - slopes[-2])
    return np.asarray(np.where(last > first / 16, last, 0.0))


def bent(a: Array, b: Array, here: Array) -> NDArray[np.bool_]:
    """Where second differences shrink too slowly for a smooth function."""
    last, before = (abs(a[k] - 2 * here + b[k]) for k in (-1, -2))
    noise = 16 * np.finfo(here.dtype).eps * np.maximum(abs(here), np.maximum(abs(a[-1]), abs(b[-1])))
    return np.asarray((last > noise) & (last > BENT * before))


def _kinks(
    ahead: Array, behind: Array, rounding: Array, smooth: tuple[Array, Array], bends: NDArray[np.bool_]
) -> tuple[Array, Array, Array]:
    """The middle of the one-sided slopes, its error and their distance, where they differ by more than their errors.

    One small number at a kink among large ones makes too little of the slope to be told: there it is an error.
    """
    (right, right_error), (left, left_error) = extrapolate(ahead, ratio=2), extrapolate(behind, ratio=2)
    error = right_error + left_error + 2 * rounding
    radius = abs(right - left) / 2
    apart = radius > CONTRADICTION * error
    kinked = apart & (radius > DISTINCT * (abs(right) + abs(left)))
    hidden = np.where(apart & bends, radius, 0.0)
    limit = np.where(kinked, (right + left) / 2, smooth[0])
    return limit, np.where(kinked, error, np.maximum(smooth[1], hidden)), np.where(kinked, radius, 0.0)


def _jump(a: Array, b: Array, here: Array, steps: Sequence[float]) -> Array:
    """By how much the value jumps: what stays of the differences from it on a side, however small the step.

    A kink within the smallest step looks like a jump from the side where the value is constant. The slope of the other
    side tells how far it may be away.
    """
    size = np.maximum(abs(here), np.maximum(abs(a[-1]), abs(b[-1])))
    speed = np.maximum(*(abs(side[0] - side[-1]) / (steps[0] - steps[-1]) for side in (a, b)))
    within = NEARBY * speed * steps[-1]
    jumps = [abs(side[-1] - here) for side in (a, b)]
    jumps = [
        np.where(_stays(side, here, size) & (one > within), one, 0.0) for side, one in zip((a, b), jumps, strict=True)
    ]
    return np.asarray(np.maximum(*jumps))


def _stays(side: Array, here: Array, size: Array) -> NDArray[np.bool_]:
    """Whether the values of a side stay away from the value here, and stay where they are."""
    away = abs(side[-1] - here)
    spread = np.max(abs(side - side[-1]), axis=0)
    return np.asarray((spread < STEADY * away) & (away > DISTINCT * size) & np.isfinite(away))
