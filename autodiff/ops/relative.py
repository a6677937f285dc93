"""Derivatives relative to a value: how logarithms and exponentials meet without a quotient that overflows.

What comes back through ``log(u)`` is ``g / u``, and what goes on through ``u = exp(x)`` is that times ``u``. Where
``u`` has overflowed, or vanished, one is zero and the other infinite, though their product is ``g``. So the division
waits: going backwards a :class:`Quotient` keeps cotangent and divisor apart, going forwards a :class:`Product` tangent
and factor. Operations whose derivative is a multiple of their result cancel it; others divide, or multiply, as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autodiff.ops.masked import Masked
from autodiff.trace.link import NUMBERS, Link
from autodiff.trace.primitive import PRIMITIVES
from autodiff.trace.spec import Spec, spec_of

HUGE = 1e100
"""What is smaller is nothing beside an infinity that a computation has come to."""


class Quotient:
    """A cotangent that stands for ``value / divisor``.

    Args:
        value: a cotangent, which may be masked.
        divisor: what a logarithm was taken of.
        defined: makes NaN of divisors where the logarithm is not defined.
    """

    __slots__ = ("defined", "divisor", "value")

    def __init__(self, value: Any, divisor: Any, defined: Callable[[Any], Any]) -> None:
        self.value = value
        self.divisor = divisor
        self.defined = defined

    def absolute(self) -> Any:
        """What it stands for."""
        return inside(self.value, lambda g: g / self.defined(self.divisor))

    def times(self, out: Any) -> Any:
        """What it stands for, times ``out``."""
        return self.value if out is self.divisor else inside(self.value, lambda g: g * ratio(out, self.divisor))

    def fits(self, slot: Spec) -> bool:
        """Whether shape and dtype are those of a slot."""
        its, by = spec_of(within(self.value)), spec_of(self.divisor)
        return its.shape == by.shape == slot.shape and its.dtype == by.dtype == slot.dtype


class Product:
    """A tangent that stands for ``value * factor``; the value may be masked."""

    __slots__ = ("factor", "value")

    def __init__(self, value: Any, factor: Any) -> None:
        self.value = value
        self.factor = factor

    def absolute(self) -> Any:
        """What it stands for."""
        return inside(self.value, lambda t: t * self.factor)

    def over(self, divisor: Any) -> Any:
        """What it stands for, divided by ``divisor``."""
        return self.value if divisor is self.factor else inside(self.value, lambda t: t * ratio(self.factor, divisor))

    def fits(self, slot: Spec) -> bool:
        """Whether shape and dtype are those of a slot."""
        its, by = spec_of(within(self.value)), spec_of(self.factor)
        return its.shape == by.shape == slot.shape and its.dtype == by.dtype == slot.dtype


def absolute(g: Any) -> Any:
    """A cotangent or tangent that is relative to nothing."""
    return g.absolute() if type(g) is Quotient or type(g) is Product else g


def within(g: Any) -> Any:
    """The array of what may be masked."""
    return g.value if type(g) is Masked else g


def inside(g: Any, function: Callable[[Any], Any]) -> Any:
    """A function of each element of what may be masked."""
    return Masked(function(g.value), g.source, False, g.origin) if type(g) is Masked else function(g)


def ratio(a: Any, b: Any) -> Any:
    """a / b, and 1 where they are equal: zeros, or infinities of which the one was made from the other."""
    return PRIMITIVES["where"](PRIMITIVES["equal"](a, b), 1, a / b)


class Relative:
    """How an operation of one traced operand takes a derivative that is relative to a value, or makes one.

    Attributes:
        mixes: whether it mixes elements, so that masks end.
        notes_numbers: whether it wants to know a plain number beside the operand.
    """

    mixes = False
    notes_numbers = False

    def applies(self, position: int) -> bool:
        """Whether it does so with the operand at a position."""
        return position == 0

    def back(self, g: Quotient, link: Link, residuals: Any) -> Any:
        """The cotangent of the operand from the quotient that comes back; None to go the ordinary way."""
        return None

    def forth(self, tangent: Any, values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
        """The tangent of the result from that of the operand, which may be a product; None to go the ordinary way."""
        return None


class Multiple(Relative):
    """The derivative is a multiple of the result.

    Args:
        rate: ``rate(g, **known)`` is the rule of the logarithm of the result: ``known`` is what the operation's own
            rule needs.
        growth: the same for tangents, of an operation that mixes elements; of others it is ``rate``.
    """

    def __init__(self, rate: Callable[..., Any], growth: Callable[..., Any] | None = None) -> None:
        self.rate = rate
        self.growth = growth or rate
        self.mixes = growth is not None

    def back(self, g: Quotient, link: Link, residuals: Any) -> Any:
        known = link.named(residuals)
        return inside(g.times(known["out"]), lambda each: self.rate(each, **known))

    def forth(self, tangent: Any, values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
        return Product(inside(absolute(tangent), lambda each: self.growth(each, x=values[0], out=out, **params)), out)


class Inverse(Relative):
    """The divisor of a quotient: the logarithm of the result falls as that of the divisor grows."""

    def applies(self, position: int) -> bool:
        return position == 1

    def back(self, g: Quotient, link: Link, residuals: Any) -> Any:
        known = link.named(residuals)
        return Quotient(inside(g.times(known["out"]), lambda each: -each), known["y"], unchanged)

    def forth(self, tangent: Any, values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
        if type(tangent) is not Product:
            return None
        return Product(inside(tangent.over(values[1]), lambda each: -each), out)


class Shifted(Relative):
    """A sum with a number, which is nothing beside an infinity: what is relative to a value stays so."""

    notes_numbers = True

    def applies(self, position: int) -> bool:
        return True

    def back(self, g: Quotient, link: Link, residuals: Any) -> Any:
        return g if small(residuals) else None

    def forth(self, tangent: Any, values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
        return tangent if type(tangent) is Product and any(map(small, values)) else None


class Logarithm(Relative):
    """A logarithm, of which the derivative is ``1 / (scale * divisor(x))``.

    Args:
        defined: makes NaN of divisors where the logarithm is not defined.
        divisor: what the logarithm is taken of.
        scale: the logarithm of the base.
    """

    def __init__(
        self, defined: Callable[[Any], Any], divisor: Callable[[Any], Any] | None = None, scale: float = 1
    ) -> None:
        self.defined = defined
        self.divisor = divisor or unchanged
        self.scale = scale

    def rule(self, g: Any, x: Any) -> Quotient:
        """The rule of the operation."""
        return Quotient(g if self.scale == 1 else g / self.scale, self.divisor(x), self.defined)

    def forth(self, tangent: Any, values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
        if type(tangent) is not Product:
            return None
        rate = tangent.over(self.divisor(values[0]))
        return rate if self.scale == 1 else inside(rate, lambda each: each / self.scale)


def unchanged(x: Any) -> Any:
    """The value itself."""
    return x


def small(value: Any) -> bool:
    """Whether it is a plain number that is not negative, and not huge."""
    return isinstance(value, NUMBERS) and bool(0 <= value < HUGE)
