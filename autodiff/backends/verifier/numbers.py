"""Whole numbers of a kernel: arithmetic, conditions, and what follows from them."""

from __future__ import annotations

from math import inf

from autodiff.backends.language.polynomials import Polynomial, constant
from autodiff.backends.verifier.facts import Facts
from autodiff.backends.verifier.values import OTHER, RANGES, UNKNOWN, Address, Number, Truth, Value

MINUS = constant(-1)
LEAST, LARGEST = RANGES["i8"]


def representable(facts: Facts, value: Polynomial) -> bool:
    """Whether a machine's number of 64 bits is the number: it has not wrapped around."""
    return value.number is not None or (facts.lowest(value) >= LEAST and facts.highest(value) <= LARGEST)


def any_of(facts: Facts, type_: str, name: str = "any") -> Number:
    """A number of which nothing is known but its type."""
    return Number(facts.between(name, *RANGES[type_]))


def quotient(facts: Facts, value: Polynomial, divisor: Polynomial) -> Polynomial:
    """The largest whole number whose product with the divisor does not exceed a value."""
    number = divisor.number
    if number is None or number <= 0 or not representable(facts, value):
        return facts.between("quotient", LEAST, LARGEST)
    exact = Polynomial({symbols: factor // number for symbols, factor in value.terms.items() if factor % number == 0})
    rest = value - exact * divisor
    low, high = facts.lowest(rest), facts.highest(rest)
    if low > -inf and high < inf and low // number == high // number:
        return exact + constant(int(low // number))
    low, high = facts.lowest(value), facts.highest(value)
    return facts.quotient(value, number, low // number, high // number)


def remainder(facts: Facts, value: Polynomial, divisor: Polynomial) -> Polynomial:
    """What a division leaves."""
    number = divisor.number
    if number is None or number <= 0 or not representable(facts, value):
        return facts.between("remainder", LEAST, LARGEST)
    low, high = facts.lowest(value), facts.highest(value)
    if low // number == high // number:
        return value - constant(int(low // number) * number)
    return facts.between("remainder", 0, number - 1)


def extreme(facts: Facts, name: str, values: tuple[Polynomial, Polynomial]) -> Polynomial:
    """The smaller of two numbers, or the larger one."""
    first, second = values
    if facts.highest(first - second) <= 0:
        return first if name == "min" else second
    if facts.highest(second - first) <= 0:
        return second if name == "min" else first
    lows, highs = [facts.lowest(each) for each in values], [facts.highest(each) for each in values]
    if name == "min":
        return facts.new(name, bound(min(lows)), (*values, *bound(min(highs))))
    return facts.new(name, (*values, *bound(max(lows))), bound(max(highs)))


def bound(number: float) -> tuple[Polynomial, ...]:
    """A bound, if it is one."""
    return () if number in (-inf, inf) else (constant(int(number)),)


# Conditions.


def compared(facts: Facts, sign: str, left: Polynomial, right: Polynomial) -> Truth:
    """A comparison; it says nothing where a number may have wrapped around."""
    if not (representable(facts, left) and representable(facts, right)):
        return UNKNOWN
    difference = left - right
    match sign:
        case "<":
            return Truth("<=", difference + constant(1))
        case "<=":
            return Truth("<=", difference)
        case ">":
            return Truth("<=", constant(1) - difference)
        case ">=":
            return Truth("<=", MINUS * difference)
    return Truth(sign, difference)


def note(facts: Facts, truth: Truth, holds: bool) -> None:
    """Note what follows where a condition holds, or does not."""
    match truth.operator:
        case "not":
            note(facts, truth.parts[0], not holds)
        case "and" | "or" if holds == (truth.operator == "and"):
            for part in truth.parts:
                note(facts, part, holds)
        case "<=" if truth.value is not None:
            facts.not_negative(MINUS * truth.value if holds else truth.value - constant(1))
        case "==" | "!=" if truth.value is not None and holds == (truth.operator == "=="):
            facts.not_negative(truth.value)
            facts.not_negative(MINUS * truth.value)


def decided(facts: Facts, truth: Truth) -> bool | None:
    """Whether a condition holds, where that is known."""
    parts = [decided(facts, part) for part in truth.parts]
    match truth.operator:
        case "not":
            return None if parts[0] is None else not parts[0]
        case "and" | "or":
            deciding = truth.operator == "or"
            return deciding if deciding in parts else None if None in parts else not deciding
    if truth.value is None:
        return None
    low, high = facts.lowest(truth.value), facts.highest(truth.value)
    if truth.operator == "<=":
        return True if high <= 0 else False if low > 0 else None
    equal = True if low == high == 0 else False if low > 0 or high < 0 else None
    return equal if equal is None or truth.operator == "==" else not equal


# One of two values.


def either(facts: Facts, one: tuple[Facts, Value], other: tuple[Facts, Value]) -> Value:
    """What is known of a value that is one of two, each with what is known where it is the one."""
    first, second = one[1], other[1]
    if first is second or first == second:
        return first
    if isinstance(first, Number) and isinstance(second, Number):
        return Number(one_of(facts, (one[0], first.value), (other[0], second.value)))
    if isinstance(first, Address) and isinstance(second, Address) and first.word == second.word:
        return Address(first.word, one_of(facts, (one[0], first.offset), (other[0], second.offset)))
    return UNKNOWN if isinstance(first, Truth) and isinstance(second, Truth) else OTHER


def one_of(facts: Facts, one: tuple[Facts, Polynomial], other: tuple[Facts, Polynomial]) -> Polynomial:
    """A number that is one of two."""
    lower: list[Polynomial] = []
    upper: list[Polynomial] = []
    for (_, value), (others, against) in ((one, other), (other, one)):
        if known(facts, value):  # each bounds both, if it bounds the other where that is the one
            if others.highest(against - value) <= 0:
                upper.append(value)
            if others.lowest(against - value) >= 0:
                lower.append(value)
    lows, highs = zip(*((own.lowest(value), own.highest(value)) for own, value in (one, other)), strict=True)
    low, high = min(lows), max(highs)
    if low < LEAST or high > LARGEST:
        return facts.between("one", LEAST, LARGEST)
    if low == high:
        return constant(int(low))
    return facts.new("one", (*lower, *bound(low)), (*upper, *bound(high)))


def known(facts: Facts, value: Polynomial) -> bool:
    """Whether all symbols of a number are known here."""
    return all(map(facts.knows, value.symbols))


def outside(facts: Facts, inner: Facts, value: Value) -> Value:
    """What is known around of a value that is known inside of a loop or branch."""
    if isinstance(value, Number):
        return Number(range_of(facts, inner, value.value))
    if isinstance(value, Address):
        return Address(value.word, range_of(facts, inner, value.offset))
    return UNKNOWN if isinstance(value, Truth) else value


def range_of(facts: Facts, inner: Facts, value: Polynomial) -> Polynomial:
    """A number of which the least and largest value are known inside."""
    low, high = inner.lowest(value), inner.highest(value)
    if not known(facts, value):
        low, high = (low, high) if low >= LEAST and high <= LARGEST else (LEAST, LARGEST)
        return facts.between("after", low, high)
    if low <= facts.lowest(value) and facts.highest(value) <= high:
        return value
    return facts.new("after", (value, *bound(low)), (value, *bound(high)))
