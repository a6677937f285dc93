"""What the names of a kernel stand for, as far as places in memory depend on it."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff.backends.language.polynomials import Polynomial

# fmt: off
RANGES = {
    "b1": (0, 1), "u1": (0, 255), "i4": (-(1 << 31), (1 << 31) - 1), "i8": (-(1 << 63), (1 << 63) - 1),
}
"""The least and the largest number of each type of whole numbers."""
# fmt: on


@dataclass(frozen=True)
class Number:
    """A whole number."""

    value: Polynomial


@dataclass(frozen=True)
class Address:
    """A place in memory, in bytes from the beginning of an array."""

    word: int
    offset: Polynomial


@dataclass(frozen=True)
class Truth:
    """A condition on whole numbers.

    Attributes:
        operator: ``<=`` with a polynomial that is negative or zero where it holds, ``==`` with one that is zero,
            ``!=``; ``and``, ``or``, ``not`` of others; an empty one says nothing.
        value: the polynomial.
        parts: the others.
    """

    operator: str = ""
    value: Polynomial | None = None
    parts: tuple[Truth, ...] = ()


class Other:
    """A value on which no place in memory depends."""


OTHER = Other()
UNKNOWN = Truth()
Value = Number | Address | Truth | Other
