"""The real pairing <u, v> = Re(sum u v) that defines a cotangent, and fixed directions to pair with."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodiff.trace.trees.tree import flatten

SEED = 20240229

VANISHING = 1e-30
"""Elements smaller than this are moved as zeros are: steps relative to them would underflow."""


def pairing(cotangents: Any, tangents: Any) -> float:
    """Re(sum(u * v)) over all leaves of two trees; nothing is conjugated.

    >>> pairing((1j, 2.0), (1j, np.array(3.0)))
    5.0
    """
    pairs = zip(flatten(cotangents)[0], flatten(tangents)[0], strict=True)
    return sum(float(np.sum(np.multiply(u, v)).real) for u, v in pairs)


def magnitude(cotangents: Any, tangents: Any) -> float:
    """What the finite terms of `pairing` add up to without cancellation: the scale of its rounding error."""
    pairs = zip(flatten(cotangents)[0], flatten(tangents)[0], strict=True)
    terms = [abs(np.multiply(u, v)) for u, v in pairs]
    return sum(float(np.sum(term, where=np.isfinite(term))) for term in terms)


def directions(leaves: Iterable[Any], *, seed: int = 0, scaled: bool = False) -> tuple[Any, ...]:
    """One fixed direction for each leaf: no element is zero, none is large, all have few digits.

    Args:
        leaves: arrays or scalars; the direction is of the same kind, shape and dtype.
        seed: another number gives other directions.
        scaled: whether every element of a direction is as large as that of its leaf, as a step should be. Zeros are
            moved by as much as the largest element, or by one where that is larger.
    """
    random = np.random.default_rng(SEED + seed)
    return tuple(_direction(leaf, random, scaled) for leaf in leaves)


def _direction(leaf: Any, random: np.random.Generator, scaled: bool) -> Any:
    array = np.asarray(leaf)
    parts = 2 if array.dtype.kind == "c" else 1
    drawn = random.integers(3, 9, (parts, *array.shape)) * random.choice((-0.125, 0.125), (parts, *array.shape))
    direction = drawn[0] + 1j * drawn[1] if parts == 2 else drawn[0]
    if scaled:
        direction = direction * _power_of_two(array)
    if isinstance(leaf, np.ndarray):
        return direction.astype(array.dtype)
    return direction.astype(array.dtype)[()] if isinstance(leaf, np.generic) else direction.item()


def _power_of_two(array: Any) -> Any:
    """For each element the power of two below its magnitude, that of `zeros` where the element vanishes."""
    sizes = np.abs(np.asarray(array)).astype(np.float64)
    largest = float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))
    zeros = min(largest, 1.0) if largest > VANISHING else 1.0
    moved = np.where(np.isfinite(sizes) & (sizes > VANISHING), sizes, zeros)
    return 2.0 ** np.floor(np.log2(moved))
