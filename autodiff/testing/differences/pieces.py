"""The pieces of a function that meet near a point: which slopes they have, and whether a kink lies nearby.

A kink at a billionth of the arguments from a point looks like one at the point to every step that rounding allows. It
shows in the slopes at random neighbours: those of a smooth function come together in proportion to the distance of the
neighbours; where pieces meet they stay apart, and are suddenly one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.differences.numerical import move
from autodiff.testing.differences.slope import Slope

Array = NDArray[Any]
Values = Callable[[Sequence[Any]], Sequence[Any]]

CLOSER = 2.0**-4
"""How much closer the neighbours of each distance are than those of the one before."""

DISTANCES = tuple(2.0**-12 * CLOSER**k for k in range(7))
"""How far from a point other pieces are looked for, relative to the arguments."""

EVERYDAY = 8.0
"""Functions of larger arguments change within less than a part of them."""

WITHIN = 2.0**-6
"""The step that takes the slope at a neighbour, as a part of the distance."""

NEIGHBOURS = 24
"""At each distance: with ties among several elements each of them should come to lie between the others."""

PIECES = 2.0**-6
"""Slopes that differ by more than this part of them, so near a kink, are those of different pieces."""

APART = 2.0**-12
"""Slopes that differ by less than this part of them show no kink."""

STAY = 0.125
"""Slopes of different pieces keep more than this part of their distance at the closest neighbours that tell."""

VANISH = 2.0**-10
"""They keep less than this part where the kink lies further away than the closer neighbours."""

BOUNDED = 2.0
"""Slopes at closer neighbours that are so many times larger are those of noise, or of a jump."""

DIGITS = 2.0**-10
"""Slopes at neighbours with more noise than this part of them say nothing."""

TELLS = 2.0**-7
"""Noise of closer slopes that is a larger part of the distance of the others hides whether they come together."""

CURVED = 2.0**-20
"""The error of slopes at neighbours, relative to them: most are as close, and not at the point itself."""


@dataclass(frozen=True)
class Pieces:
    """The slopes of one result near a point, element by element.

    Attributes:
        middle: of the slopes of all pieces; NaN where none was found.
        radius: by how much they differ from it.
        near: where pieces meet in the point, or nearer to it than neighbours are.
    """

    middle: Array
    radius: Array
    near: NDArray[np.bool_]

    def widen(self, slope: Slope, kinked: bool) -> Slope:
        """A slope with those of the pieces: anything between them is right.

        Args:
            slope: what differences at the point say. It may lie in one piece on both sides, as of three equal
                elements the middle one does: then it shows no kink.
            kinked: whether any of the results has a kink at the point.
        """
        own = np.where(slope.kinked, slope.radius, 0.0)
        ends = [self.middle - self.radius, self.middle + self.radius, slope.limit - own, slope.limit + own]
        middle, radius = between([np.where(np.isfinite(end), end, self.middle) for end in ends])
        several = slope.kinked | (kinked & (radius > PIECES * (abs(middle) + radius)))
        known = np.isfinite(self.middle)
        middle = np.where(self.near, self.middle, np.where(several & known, middle, slope.limit))
        radius = np.where(self.near, self.radius, np.where(several & known, radius, slope.radius))
        error = np.where(self.near, CURVED * (abs(middle) + radius), slope.error)
        return replace(slope, limit=middle, radius=radius, error=error)


def pieces_near(
    values: Values, primals: Sequence[Any], tangents: Sequence[Any], here: Sequence[Any], largest: float = 0.0
) -> list[Pieces]:
    """The pieces of every result near a point.

    Args:
        values: the results at other primals.
        primals: the point.
        tangents: the direction of the slopes, each element as large as that of the primals.
        here: the results at the point.
        largest: how large the numbers are of which the results are made.
    """
    random = np.random.default_rng(1)
    distances = [_shortened(primals) * one for one in DISTANCES]
    found = [
        _slope_beside(values, primals, tangents, distance, random) for distance in distances for _ in range(NEIGHBOURS)
    ]
    widths = [WITHIN * distance for distance in distances]
    return [
        _pieces(
            np.reshape(np.stack(one), (len(widths), NEIGHBOURS, *np.shape(value))), np.asarray(value), widths, largest
        )
        for one, value in zip(zip(*found, strict=True), here, strict=True)
    ]


def _shortened(primals: Sequence[Any]) -> float:
    """By how much the distances are shorter where arguments are large."""
    size = max((float(np.max(np.abs(x), initial=0.0)) for x in primals), default=0.0)
    return min(1.0, EVERYDAY / size) if size else 1.0


def _slope_beside(
    values: Values, primals: Sequence[Any], tangents: Sequence[Any], distance: float, random: np.random.Generator
) -> list[Array]:
    """The slopes of all results at a neighbour."""
    beside = [
        move(x, np.asarray(v) * random.uniform(-1, 1, np.shape(v)), distance)
        for x, v in zip(primals, tangents, strict=True)
    ]
    step = WITHIN * distance
    ahead, behind = (
        values([move(x, v, sign * step) for x, v in zip(beside, tangents, strict=True)]) for sign in (1, -1)
    )
    return [np.asarray(np.subtract(a, b) / (2 * step)) for a, b in zip(ahead, behind, strict=True)]


def _pieces(slopes: Array, here: Array, steps: Sequence[float], largest: float) -> Pieces:
    """What the slopes at all distances say; those with too much noise are left out."""
    if slopes.dtype.kind not in "fc":
        return Pieces(np.zeros(here.shape), np.zeros(here.shape), np.zeros(here.shape, bool))
    unit = 4 * np.finfo(slopes.dtype).eps / np.reshape(steps, (-1,) + (1,) * here.ndim)
    finite = np.isfinite(slopes)
    size = np.max(np.where(finite, abs(slopes), 0.0), axis=1)
    noise = unit * (np.maximum(abs(here), largest) + size)
    told = finite.all(axis=1) & (noise <= DIGITS * size[0])
    spread = 2 * between(np.moveaxis(slopes, 1, 0))[1]
    further, closer = spread[:-1], spread[1:]
    pair = told[:-1] & told[1:] & (further > APART * size[0]) & (noise[1:] < TELLS * further)
    closest = pair & (np.cumsum(pair[::-1], axis=0)[::-1] == 1)
    meets = (closest & (closer > STAY * further)) | (closer - noise[1:] < VANISH * further)
    bounded = (size <= BOUNDED * size[0] + unit * (np.maximum(abs(here), largest) + size[0])).all(axis=0)
    near = bounded & (pair & meets).any(axis=0)
    exact = finite & (unit * abs(here) <= DIGITS * size[0])[:, None]
    exact[0] = finite[0]
    rows = np.where(exact, slopes, np.nan).reshape(-1, *here.shape)
    middle, radius = between(rows)
    return Pieces(middle, radius, near)


def between(slopes: Sequence[Array] | Array) -> tuple[Array, Array]:
    """The middle of slopes, of complex ones in both parts, and how far they are from it; NaN are left out."""
    found = np.asarray(slopes)
    if np.iscomplexobj(found):
        real, imaginary = _middle(found.real), _middle(found.imag)
        middle = real + 1j * imaginary
    else:
        middle = _middle(found)
    return middle, np.asarray(np.fmax.reduce(abs(found - middle), axis=0))


def _middle(slopes: Array) -> Array:
    return np.asarray((np.fmax.reduce(slopes, axis=0) + np.fmin.reduce(slopes, axis=0)) / 2)
