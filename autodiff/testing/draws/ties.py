"""Equal elements within the rows of an array: what a maximum, a median or a sort must decide.

Random numbers hardly ever tie, and where they do, two rules that say different things of two equal elements may say
the same of three. So every pattern is tried: the largest or the smallest element twice, a row of equal elements, along
the last axis and along the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.magnitudes import takes_unusual
from autodiff.testing.draws.operand import Operands
from autodiff.testing.draws.shapes import Shape
from autodiff.testing.draws.values import fill

Array = NDArray[Any]
Pattern = Callable[[Array, int], None]

PLAIN: tuple[Shape, ...] = ((4,), (3, 4))
"""The shapes in which ties are tried, where none are given."""

FIRST, LAST = 0, -1


def tie_operands(
    domain: Sequence[Domain], shapes: Sequence[Shape], dtypes: Sequence[DTypeLike], seed: int = 0
) -> Iterator[Operands]:
    """Operands with equal elements in their rows; those whose domain asks for distinct elements have none.

    Args:
        domain: one for each operand.
        shapes: one for each operand.
        dtypes: one for each operand.
        seed: another number gives other values.
    """
    for number, (axis, pattern) in enumerate(_patterns(shapes)):
        random = np.random.default_rng((seed, number))
        args = []
        for place, (one, shape, dtype) in enumerate(zip(domain, shapes, dtypes, strict=True)):
            array = fill(shape, dtype, one, random, place=place, places=len(domain))
            if array.ndim and array.dtype.kind in "fc" and not one.distinct:
                for row, elements in enumerate(_rows(array, axis)):
                    pattern(elements, row)
            args.append(array)
        yield Operands(tuple(args), smooth=True, extreme=True)


def constant_operands(
    domain: Sequence[Domain], shapes: Sequence[Shape], dtypes: Sequence[DTypeLike], seed: int = 0
) -> Iterator[Operands]:
    """Operands all of whose elements are equal: to zero, all operands at once and each alone, and to another number.

    There norms and distances have kinks, and quotients by them are no numbers. Whoever gives shapes of matrices does
    not say that the function takes singular ones.

    Args:
        domain: one for each operand; there are no zeros where it has none, no equal ones where these must differ.
        shapes: one for each operand.
        dtypes: one for each operand.
        seed: another number gives other values.
    """
    random = np.random.default_rng(seed)
    places = range(len(domain))
    filled = [
        fill(shape, dtype, one, random, place=place, places=len(domain))
        for place, (one, shape, dtype) in enumerate(zip(domain, shapes, dtypes, strict=True))
    ]
    may_be_equal = [place for place in places if filled[place].dtype.kind in "fc" and not domain[place].distinct]
    may_be_zero = [place for place in may_be_equal if takes_unusual(domain[place], 0.0)]
    alone = [[place] for place in may_be_zero] if len(may_be_zero) > 1 else []
    for chosen, fixed in [*((zeros, 0.0) for zeros in (may_be_zero, *alone)), (may_be_equal, None)]:
        args = [
            np.full_like(array, array.flat[0] if fixed is None else fixed) if place in chosen and array.size else array
            for place, array in enumerate(filled)
        ]
        if chosen:
            yield Operands(tuple(args), smooth=True, extreme=True, unasked=True)


def _patterns(shapes: Sequence[Shape]) -> Iterator[tuple[int, Pattern]]:
    """Axes, and what to do with each row along them."""
    yield LAST, lambda row, number: _twice(row, largest=number % 2 == 0)
    yield LAST, lambda row, number: _twice(row, largest=number % 2 == 1)
    yield LAST, _equal
    if any(len(shape) > 1 for shape in shapes):
        yield FIRST, lambda row, number: _twice(row, largest=number % 2 == 0)
        yield FIRST, lambda row, number: _twice(row, largest=number % 2 == 1)


def _rows(array: Array, axis: int) -> list[Array]:
    """The rows of an array along an axis, as views of it."""
    moved = np.moveaxis(array, axis, -1)
    return [moved[index] for index in np.ndindex(moved.shape[:-1])]


def _twice(row: Array, *, largest: bool) -> None:
    """Put the largest element of a row, or its smallest, in the next place, too."""
    place = int(np.argmax(row) if largest else np.argmin(row))
    row[(place + 1) % len(row)] = row[place]


def _equal(row: Array, number: int) -> None:
    """Make the elements of every other row equal: with all of them equal matrices would be singular."""
    if number % 2 == 0:
        row[:] = row[0]
