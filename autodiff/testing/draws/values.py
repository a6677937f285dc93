"""Arrays filled from a domain: distinct magnitudes, short decimals, everything decided by one seed."""

from math import ceil, log10
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from autodiff.testing.draws.domains import Domain

CELLS = 32
"""Cells of the lattice at least: few elements are then drawn from a choice wider than their number."""


def lattice(domain: Domain, count: int, place: int = 0, places: int = 1) -> NDArray[np.float64]:
    """Smooth points of the domain, one in a cell, so that values *and* magnitudes differ by a known gap.

    The lattice is anchored at zero and sits off the middle of its cells, hence a point never mirrors another
    one. Operand `place` of `places` gets points of its own, hence operands have no ties among each other
    either.
    """
    low, high = domain.reach
    width = (high - low) / max(CELLS, 2 * count)
    while True:
        offset = (place + 0.5) / (2 * places)
        points = (np.arange(np.floor(low / width), np.ceil(high / width)) + offset) * width
        smooth = points[[domain.is_smooth(float(point)) for point in points]]
        if smooth.size >= count:
            return smooth.astype(np.float64)
        width /= 2


def fill(
    shape: tuple[int, ...],
    dtype: DTypeLike,
    domain: Domain,
    random: np.random.Generator,
    *,
    count: int | None = None,
    place: int = 0,
    places: int = 1,
) -> NDArray[Any]:
    """An array of the domain's smooth values.

    Args:
        shape: of the array.
        dtype: of the array. Whole numbers are drawn from those of the domain, bools from both values.
        domain: where the values (for complex dtypes the real parts) lie.
        random: decides everything.
        count: size of the largest operand of the call, where several share one lattice; the array's own size
            otherwise.
        place: which operand of the call this is.
        places: how many operands there are.

    Returns:
        A fresh C-contiguous array. Elements of an inexact dtype have distinct magnitudes.

    >>> from autodiff.testing import domains
    >>> x = fill((2, 3), "float32", domains.unit, np.random.default_rng(0))
    >>> x.shape, x.dtype, bool((abs(x) < 1).all()), np.unique(abs(x)).size
    ((2, 3), dtype('float32'), True, 6)
    """
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if kind in "iu":
        return _integers(shape, dtype, domain, random)
    size = int(np.prod(shape, dtype=int))
    real = _pick(domain, size, random, count or size, place, places)
    if kind == "c":
        low, high = domain.imaginary
        flat: NDArray[Any] = real + 1j * _pick(Domain(low, high), size, random, count or size, place, places)
    else:
        flat = real
    return flat.reshape(shape).astype(dtype)


def _pick(
    domain: Domain, size: int, random: np.random.Generator, count: int, place: int, places: int
) -> NDArray[np.float64]:
    points = lattice(domain, max(count, size), place, places)
    gap = float(np.diff(points).min()) / (4 * places) if points.size > 1 else domain.margin
    chosen = random.permutation(points)[:size] + random.uniform(-gap / 4, gap / 4, size)
    return np.round(chosen, ceil(-log10(gap / 4)))


def _integers(shape: tuple[int, ...], dtype: DTypeLike, domain: Domain, random: np.random.Generator) -> NDArray[Any]:
    low, high = domain.reach
    if np.dtype(dtype).kind == "u":
        low = max(low, 0.0)
    choice = [number for number in range(ceil(low), int(np.floor(high)) + 1) if domain.contains(number)]
    choice = [number for number in choice if number not in domain.avoid]
    if not choice:
        raise ValueError(
            f"no number of dtype {np.dtype(dtype)} lies between {domain.low} and {domain.high} away from "
            f"{domain.avoid}; widen the domain or leave integer dtypes out"
        )
    return random.choice(np.array(choice), shape).astype(dtype)
