"""Whole numbers as polynomials of symbols: where the loops of a kernel go in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import inf, prod

from autodiff.backends.language.tree import Binary, Convert, Expression, Name, Number, Unary
from autodiff.trace.caching import cached_property

Bounds = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Polynomial:
    """A sum of products of symbols.

    Attributes:
        terms: the factor of each product, which is a sorted tuple of symbols.
    """

    terms: Mapping[tuple[str, ...], int]

    def __add__(self, other: Polynomial) -> Polynomial:
        return self.plus(1, other)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self.plus(-1, other)

    def __mul__(self, other: Polynomial) -> Polynomial:
        found = constant(0)
        for symbols, factor in other.terms.items():
            terms = self.terms.items()
            moved = {tuple(sorted(own + symbols)): number for own, number in terms} if symbols else self.terms
            found = found.plus(factor, Polynomial(moved))
        return found

    def plus(self, times: int, other: Polynomial) -> Polynomial:
        """The sum of this and a multiple of another."""
        terms = dict(self.terms)
        for symbols, factor in other.terms.items():
            terms[symbols] = terms.get(symbols, 0) + times * factor
        return Polynomial({symbols: factor for symbols, factor in terms.items() if factor})

    @cached_property
    def symbols(self) -> set[str]:
        return {symbol for symbols in self.terms for symbol in symbols}

    @property
    def number(self) -> int | None:
        """What it is without symbols."""
        return None if self.symbols else self.terms.get((), 0)

    def stride(self, symbol: str) -> int | None:
        """By how much it grows with a symbol; None if that depends on anything."""
        strides = [factor for symbols, factor in self.terms.items() if symbol in symbols]
        if not strides:
            return 0
        return self.terms.get((symbol,)) if len(strides) == 1 else None

    def renamed(self, symbol: str, name: str) -> Polynomial:
        """The same of another symbol."""
        terms = {
            tuple(sorted(name if each == symbol else each for each in symbols)): factor
            for symbols, factor in self.terms.items()
        }
        return Polynomial(terms)

    def interval(self, bounds: Bounds) -> tuple[float, float]:
        """Between which numbers it lies."""
        low = high = 0.0
        for symbols, factor in self.terms.items():
            if any(symbol not in bounds for symbol in symbols):
                return -inf, inf
            ends = [factor * prod(corner) for corner in product(*(bounds[symbol] for symbol in symbols))]
            low, high = low + min(ends), high + max(ends)
        return low, high


def constant(number: int) -> Polynomial:
    """A number."""
    return Polynomial({(): number} if number else {})


def symbol(name: str) -> Polynomial:
    """One symbol."""
    return Polynomial({(name,): 1})


def polynomial(node: Expression, names: Mapping[str, Polynomial]) -> Polynomial | None:
    """An expression as a polynomial; None if it is none."""
    match node:
        case Number(int(number), type="i4" | "i8"):
            return constant(number)
        case Name(name):
            return names.get(name)
        case Convert(operand, "i8"):
            return polynomial(operand, names)
        case Unary("negative", operand, "i8"):
            found = polynomial(operand, names)
            return None if found is None else constant(-1) * found
        case Binary("+" | "-" | "*" as sign, left, right, "i8"):
            first, second = polynomial(left, names), polynomial(right, names)
            if first is None or second is None:
                return None
            if sign == "*":
                return first * second
            return first + second if sign == "+" else first - second
    return None
