"""The operands that every function is tried on besides those that hypothesis draws: magnitudes, special numbers, sizes.

A rule that is wrong for large arguments is not found by luck: every decade is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from autodiff.testing.draws.corners import TURNS
from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.magnitudes import EXPONENTS, SPECIAL, takes_unusual
from autodiff.testing.draws.operand import Choice, Operands, make_operands
from autodiff.testing.draws.shapes import Shape
from autodiff.trace.trees.tree import flatten

LENGTH = 6

SIZES = (17, 65, 257, 3000)
SQUARE: Shape = (3, 3)
"""Equal lengths on unrelated axes: what takes one for another is right everywhere else."""

FEW = 3
"""Of so many operands each is made large and small alone, too."""

TABLE: Shape = (2, 3)
"""The shape in which layouts are tried, where no shapes are given."""

LINE: Shape = (LENGTH,)
"""The shape in which magnitudes are tried, where no shapes are given."""

SPECIALS: Shape = (len(SPECIAL),)
"""The same of special numbers, of which each has its place."""

GROWTH = 4
"""A result with more than so many times the elements of its operands is not tried on longer ones."""

LARGEST = 1e100
"""Values beyond this have derivatives that may overflow: nothing is told from them."""


def magnitude_operands(
    domain: Sequence[Domain], shapes: Sequence[Shape] | None, dtypes: Sequence[Sequence[DTypeLike]], seed: int = 0
) -> Iterator[Operands]:
    """Operands of every magnitude: all of one, each of one among moderate ones, of all at once, and from 2 to 128.

    Args:
        domain: one for each operand.
        shapes: one for each operand; None where any will do.
        dtypes: those that each operand may have; the most precise one is taken.
        seed: another number gives other values.
    """
    kinds = [most_precise(each) for each in dtypes]
    places = range(len(domain))

    def sizes(flavour: str) -> Sequence[Shape]:
        return shapes or [SPECIALS if flavour == "special" else LINE] * len(domain)

    def made(flavour: str, chosen: Sequence[int], exponent: int = 0, hits: int = 0) -> Operands:
        choices = [
            Choice(
                shape,
                kind,
                flavour=flavour if place in chosen else "moderate",
                exponent=exponent,
                hits=hits,
            )
            for place, (shape, kind) in enumerate(zip(sizes(flavour), kinds, strict=True))
        ]
        return make_operands(domain, choices, abs(exponent) + len(flavour) + TURNS * seed, kinked=False)

    alone = [[place] for place in places] if 1 < len(domain) <= FEW else []
    for chosen in [[*places], *alone]:
        for exponent in EXPONENTS:
            yield made("one magnitude", chosen, exponent)
        for flavour in ("all magnitudes", "nearly equal", "special", "subnormal"):
            yield made(flavour, chosen)
    for quarter in range(4):
        yield made("up to a hundred", places, quarter)


def most_precise(dtypes: Sequence[DTypeLike]) -> np.dtype[Any]:
    """The floating or complex dtype with the most bytes."""
    return max((np.dtype(one) for one in dtypes), key=_digits)


def _digits(dtype: np.dtype[Any]) -> int:
    return dtype.itemsize if dtype.kind in "fc" else 0


def of_one_sign(sample: Operands, domain: Sequence[Domain]) -> Iterator[Operands]:
    """The operands with each sign, as far as these lie in the domain: a function may overflow on one side alone."""
    for sign in (-1.0, 1.0):
        args = tuple(sign * abs(x) for x in sample.args)
        if all(
            takes_unusual(one, float(value))
            for one, x in zip(domain, args, strict=True)
            for value in np.ravel(np.real(x))
        ):
            yield Operands(args, sample.smooth, sample.extreme)


def sized_operands(
    domain: Sequence[Domain], dtypes: Sequence[Sequence[DTypeLike]], seed: int = 0
) -> Iterator[Operands]:
    """Operands of unusual sizes, smaller ones first."""
    kinds = [np.dtype(each[0]) for each in dtypes]
    for shape in (SQUARE, *((size,) for size in SIZES)):
        yield make_operands(
            domain, [Choice(shape, kind, flavour="even") for kind in kinds], len(shape) + TURNS * seed, kinked=False
        )


def layout_operands(
    domain: Sequence[Domain],
    shapes: Sequence[Shape],
    dtypes: Sequence[Sequence[DTypeLike]],
    layouts: Sequence[str],
    seed: int = 0,
) -> Iterator[Operands]:
    """Operands in every memory layout that keeps values."""
    for layout in layouts:
        if layout != "broadcast":
            choices = [Choice(shape, each[0], layout) for shape, each in zip(shapes, dtypes, strict=True)]
            yield replace(make_operands(domain, choices, TURNS * seed, kinked=False), extreme=True)


def grows(fun: Callable[..., Any], sample: Operands) -> bool:
    """Whether a result has many more elements than the operands."""
    with np.errstate(all="ignore"):
        results = flatten(fun(*sample.args))[0]
    return max(map(np.size, results), default=0) > GROWTH * max(map(np.size, sample.args))


def tells(fun: Callable[..., Any], sample: Operands) -> bool:
    """Whether all results at extreme numbers are finite and of a magnitude that can be differentiated."""
    with np.errstate(all="ignore"):
        results = [np.asarray(leaf) for leaf in flatten(fun(*sample.args))[0]]
        sizes = [abs(leaf.astype(np.complex128)) for leaf in results if leaf.dtype.kind in "fc"]
    return all(bool((size < LARGEST).all()) for size in sizes)
