"""Arrays whose numbers are unusual: large, small, of all magnitudes, up to a hundred, nearly equal, whole, subnormal.

All have few binary digits, so that a step from them is exact and a numerical derivative keeps its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from autodiff.testing.draws.domains import Domain
from autodiff.testing.draws.values import fill

Array = NDArray[np.float64]

EXPONENTS = range(-8, 9)
"""Decimal exponents of magnitudes."""

NARROW = {"float16": (-4, 3), "float32": (-8, 8), "complex64": (-8, 8)}
"""Exponents that dtypes can hold, and their squares mostly."""

SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5)

CLOSENESS = (10, 20, 30)
"""Nearly equal numbers differ in these binary places."""

OCTAVES = np.arange(1, 7)
"""Binary exponents of numbers "up to a hundred"."""

TINY = 1e-30
"""Smaller numbers are moved by numerical derivatives as zeros are."""

SUBNORMAL = (5e-324, -5e-324, 1e-310, 2e-308)

Draw = Callable[[int, int, np.random.Generator], Array]


def _mantissas(size: int, random: np.random.Generator) -> Array:
    return np.asarray(random.choice((-1.0, 1.0), size) * random.integers(32, 64, size) / 32)


def one_magnitude(size: int, exponent: int, random: np.random.Generator) -> Array:
    """Numbers around ten to the exponent, of both signs."""
    binary = round(exponent * np.log2(10)) + random.integers(-1, 2, size)
    return np.asarray(_mantissas(size, random) * 2.0**binary)


def all_magnitudes(size: int, exponent: int, random: np.random.Generator) -> Array:
    """Numbers from 1e-8 to 1e8, every magnitude as likely, of both signs."""
    low, high = (round(end * np.log2(10)) for end in (EXPONENTS[0], EXPONENTS[-1]))
    return np.asarray(_mantissas(size, random) * 2.0 ** random.integers(low, high, size))


def up_to_a_hundred(size: int, exponent: int, random: np.random.Generator) -> Array:
    """Numbers from 2 to 128, of both signs, where one formula often follows another.

    As many lie between any two powers of 2, in one quarter of the way, which the exponent tells; never at its ends,
    where a formula that is right on one side only would look like a kink.
    """
    digits = 64 + 16 * (exponent % 4) + 2 * random.integers(0, 8, size) + 1
    signs = random.choice((-1.0, 1.0), size)
    return np.asarray(signs * digits / 64 * 2.0 ** random.permutation(np.resize(OCTAVES, size)))


def nearly_equal(size: int, exponent: int, random: np.random.Generator) -> Array:
    """One number, and others that differ from it in later places: what cancels."""
    base = float(_mantissas(1, random)[0])
    places = 2.0 ** -random.choice(np.array(CLOSENESS), size)
    return base * (1 + places * random.integers(-8, 9, size))


def special(size: int, exponent: int, random: np.random.Generator) -> Array:
    """Zeros of both signs, ones, whole numbers and halves, equal ones among them."""
    return random.permutation(np.resize(np.array(SPECIAL), size))


def subnormal(size: int, exponent: int, random: np.random.Generator) -> Array:
    """Numbers too small to have all digits, between ordinary ones."""
    every_other = random.permutation(size) % 2 == 0
    return np.where(every_other, random.choice(np.array(SUBNORMAL), size), _mantissas(size, random))


FLAVOURS: Mapping[str, Draw] = MappingProxyType(
    {
        "one magnitude": one_magnitude,
        "all magnitudes": all_magnitudes,
        "up to a hundred": up_to_a_hundred,
        "nearly equal": nearly_equal,
        "special": special,
        "subnormal": subnormal,
    }
)
"""What unusual numbers are like, by name. "moderate" ones, which every other array has, are `values.fill`'s."""

EVERYDAY = ("moderate", "special")
"""Flavours of numbers at which single precision must do as well as double precision."""


def flavoured(
    shape: tuple[int, ...],
    dtype: DTypeLike,
    domain: Domain,
    random: np.random.Generator,
    flavour: str,
    exponent: int = 0,
) -> NDArray[Any]:
    """An array of unusual numbers; moderate ones stand where the domain has no such numbers.

    Args:
        shape: of the array.
        dtype: of the array; floating or complex.
        domain: where the values, of complex numbers the real parts, lie. Equal ones are drawn only where it allows.
        random: decides everything.
        flavour: one of `FLAVOURS`.
        exponent: the decimal exponent of "one magnitude".
    """
    array = fill(shape, dtype, domain, random)
    if domain.distinct and array.dtype.kind == "c":
        return array  # complex numbers are ordered by their real parts first: those must differ by more than a step
    size, name = array.size, np.dtype(dtype).name
    low, high = NARROW.get(name, (EXPONENTS[0], EXPONENTS[-1]))
    real = FLAVOURS[flavour](size, min(max(exponent, low), high), random)
    drawn: NDArray[Any] = real if np.dtype(dtype).kind == "f" else real + 1j * np.asarray(array.imag).reshape(-1)
    takes = np.array([takes_unusual(domain, float(value)) for value in drawn.real], bool)
    with np.errstate(all="ignore"):
        rounded = drawn.astype(dtype)
    takes &= np.isfinite(rounded)
    if domain.distinct:
        first = np.unique(rounded, return_index=True)[1]
        takes &= np.isin(np.arange(size), first)
    return np.where(takes.reshape(shape), rounded.reshape(shape), array)


def takes_unusual(domain: Domain, value: float) -> bool:
    """Whether a number, however large or small, lies in the domain and a relative step from it stays there.

    Where the domain names points to avoid it is meant to be taken at its word: numbers beyond its reach are left out.
    """
    low, high = domain.reach
    if any(point != 0 for point in domain.avoid) and not low <= value <= high:
        return False
    ends = (end for end in (domain.low, domain.high) if end not in (0.0, -inf, inf))
    if abs(value) < TINY and not domain.is_smooth(0.0):
        return False  # a step from it is as long as one from zero
    away = all(abs(value - point) >= domain.margin for point in (*ends, *domain.avoid))
    return away and domain.contains(value)
