"""What is known of the whole numbers of a kernel: bounds of each symbol by symbols that were there before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf

from autodiff.backends.language.polynomials import Polynomial, constant, symbol

QUOTIENT = "quotient"
"""What symbols of quotients are called."""

Key = tuple[tuple[tuple[str, ...], int], ...]
Bound = tuple[int, Polynomial]
"""A multiple of a symbol is at most, or at least, a polynomial."""


class Facts:
    """Bounds of symbols at one place of a kernel. What is known around it is known here too.

    A symbol is at least, and at most, each of some polynomials of older symbols. So the largest value of a polynomial
    is found by putting a bound in the place of its newest symbol, until none is left.

    Args:
        around: what is known already.
    """

    def __init__(self, around: Facts | None = None) -> None:
        self.around = around
        self.age: dict[str, int] = {} if around is None else around.age
        self.lower: dict[str, tuple[Bound, ...]] = {}
        self.upper: dict[str, tuple[Bound, ...]] = {}
        self.extremes: dict[tuple[Key, bool], float] = {}

    def inside(self) -> Facts:
        """A place inside of this one, where more may be known."""
        return Facts(self)

    def new(self, name: str, lower: Iterable[Polynomial], upper: Iterable[Polynomial]) -> Polynomial:
        """A symbol that lies between all of some bounds."""
        own = f"{name}.{len(self.age)}"
        self.age[own] = len(self.age)
        self.lower[own], self.upper[own] = tuple((1, p) for p in lower), tuple((1, p) for p in upper)
        return symbol(own)

    def quotient(self, value: Polynomial, divisor: int, low: float, high: float) -> Polynomial:
        """A symbol of which a multiple is a value but for what is less than the divisor."""
        found = self.between(QUOTIENT, low, high)
        for name in found.symbols:
            self.lower[name] = (*self.lower[name], (divisor, value - constant(divisor - 1)))
            self.upper[name] = (*self.upper[name], (divisor, value))
        return found

    def named(self, p: Polynomial) -> Polynomial:
        """A number by a symbol of its own, of which it is known too between which numbers it lies."""
        if not any(name.startswith(QUOTIENT) and (p.stride(name) or 0) < 0 for name in p.symbols):
            return p
        low, high = self.lowest(p), self.highest(p)
        if -inf in (low, -high):
            return p
        return self.new("rest", (p, constant(int(low))), (p, constant(int(high))))

    def between(self, name: str, low: float, high: float) -> Polynomial:
        """A symbol between two numbers, which may be infinite."""
        if low == high:
            return constant(int(low))
        return self.new(name, (constant(int(low)),) if low > -inf else (), (constant(int(high)),) if high < inf else ())

    def knows(self, name: str) -> bool:
        """Whether a symbol was made here or around here."""
        place: Facts | None = self
        while place is not None and name not in place.lower:
            place = place.around
        return place is not None

    def bounds(self, name: str, above: bool) -> Iterator[Bound]:
        """All that is known to bound a symbol from above, or from below."""
        place: Facts | None = self
        while place is not None:
            yield from (place.upper if above else place.lower).get(name, ())
            place = place.around

    def not_negative(self, p: Polynomial) -> None:
        """Note that a polynomial is not negative: as a bound of its newest symbol, and of others as numbers."""
        latest = newest(p, self.age)
        noted: list[tuple[str, int, Polynomial]] = []
        for name in p.symbols:
            factor, rest = split(p, name)
            times = None if factor is None else factor.number
            if times is None or times == 0:
                continue
            limit = constant(-1 if times > 0 else 1) * rest
            if name != latest and limit.number is None:
                end = self.extreme(limit, times < 0)
                if abs(end) == inf:
                    continue
                limit = constant(int(end))
            if limit.number is not None:  # the next whole number
                number = -(-limit.number // times) if times > 0 else limit.number // -times
                times, limit = (1 if times > 0 else -1), constant(number)
            noted.append((name, times, limit))
        for name, times, limit in noted:
            bounds = self.lower if times > 0 else self.upper
            bounds[name] = (*bounds.get(name, ()), (abs(times), limit))
        self.extremes.clear()

    def highest(self, p: Polynomial) -> float:
        """A number that a polynomial does not exceed."""
        return self.extreme(p, True)

    def lowest(self, p: Polynomial) -> float:
        """A number that a polynomial is not below."""
        return self.extreme(p, False)

    def extreme(self, p: Polynomial, above: bool) -> float:
        """The best of the bounds that are found."""
        if p.number is not None:
            return p.number
        key = key_of(p), above
        found = self.extremes.get(key)
        if found is None:
            found = self.extremes[key] = self.eliminated(p, above)
        return found

    def eliminated(self, p: Polynomial, above: bool) -> float:
        """A bound of a polynomial, by bounds of its newest symbol."""
        best = inf if above else -inf
        for times, bounded in self.without(newest(p, self.age), p, above):
            found = self.extreme(bounded, above)
            if times > 1 and abs(found) < inf:
                found = found // times if above else -(-found // times)
            best = min(best, found) if above else max(best, found)
        return best

    def without(self, name: str | None, p: Polynomial, above: bool) -> Iterator[Bound]:
        """Bounds of multiples of a polynomial in which a symbol does not occur."""
        factor, rest = (None, p) if name is None else split(p, name)
        if name is None or factor is None:
            return
        sign = self.sign(factor)
        if not sign:
            return
        for times, bound in self.bounds(name, above == (sign > 0)):
            if times == 1:
                yield 1, factor * bound + rest
            elif all(number % times == 0 for number in factor.terms.values()):
                yield 1, Polynomial({key: number // times for key, number in factor.terms.items()}) * bound + rest
            else:
                yield times, factor * bound + rest * constant(times)

    def sign(self, p: Polynomial) -> int:
        """1 where a polynomial is not negative, -1 where it is not positive, 0 where that is not known."""
        if self.lowest(p) >= 0:
            return 1
        return -1 if self.highest(p) <= 0 else 0

    def bounds_by(self, kept: str, p: Polynomial, above: bool) -> list[Polynomial]:
        """Bounds of a polynomial in which no symbol occurs but one."""
        found: list[Polynomial] = []
        waiting = {key_of(p): p}
        while waiting:
            latest = max(waiting.values(), key=lambda each: self.age.get(newest(each, self.age, kept) or "", -1))
            name = newest(latest, self.age, kept)
            if name is None:
                found += waiting.values()
                break
            del waiting[key_of(latest)]
            waiting.update((key_of(each), each) for times, each in self.without(name, latest, above) if times == 1)
        return found


def key_of(p: Polynomial) -> Key:
    """What is the same for equal polynomials."""
    return tuple(sorted(p.terms.items()))


def newest(p: Polynomial, age: dict[str, int], but: str | None = None) -> str | None:
    """The symbol of a polynomial that came last."""
    return max((name for name in p.symbols if name != but), key=age.__getitem__, default=None)


def split(p: Polynomial, name: str) -> tuple[Polynomial | None, Polynomial]:
    """A polynomial as ``factor * name + rest``; no factor where a product has the symbol twice."""
    factor: dict[tuple[str, ...], int] = {}
    rest: dict[tuple[str, ...], int] = {}
    for symbols, number in p.terms.items():
        count = symbols.count(name)
        if count > 1:
            return None, p
        if count:
            place = symbols.index(name)
            factor[symbols[:place] + symbols[place + 1 :]] = number
        else:
            rest[symbols] = number
    return Polynomial(factor), Polynomial(rest)
