"""How small a value can be, as far as the operations that made it tell."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from autodiff.backends.passes.rewrite.literals import number
from autodiff.backends.passes.rewrite.patterns import largest_below, summed_exponential
from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.trace.facts import ADDED, LARGEST, SMALLEST
from autodiff.trace.primitive import Primitive
from autodiff.trace.tape import Equation, Operand

DEEP = 12
"""So many operations are looked through."""

Bound = Callable[[Builder, Equation, int], float]


def lower_bound(builder: Builder, operand: Operand, depth: int = DEEP) -> float:
    """A number that no element is smaller than, but for NaN."""
    value = number(operand)
    if value is not None:
        return float(value) if value == value else inf
    if depth == 0:
        return -inf
    kind = builder.spec(operand).dtype.kind
    maker = builder.makers[operand] if isinstance(operand, int) else None
    rule = None if maker is None or len(maker.results) != 1 else rule_of(maker.primitive, builder.spec(operand).dtype)
    found = -inf if rule is None or maker is None else rule(builder, maker, depth - 1)
    return max(found, 0.0) if kind in "bu" else found


def zero(builder: Builder, equation: Equation, depth: int) -> float:
    """Of operations that give nothing negative."""
    return -inf if builder.spec(equation.operands[0]).dtype.kind == "c" else 0.0


def own(builder: Builder, equation: Equation, depth: int) -> float:
    """Of operations that give elements of the first operand."""
    return lower_bound(builder, equation.operands[0], depth)


def of_sum(builder: Builder, equation: Equation, depth: int) -> float:
    """Sums of what is not negative are not negative, in whatever order they are rounded.

    One of the terms of sum(exp(x - max(x))) is 1.
    """
    terms = summed_exponential(builder, equation.results[0])
    largest = largest_below(builder, terms[0].operands[0]) if terms is not None else None
    if terms is not None and largest is not None and set(dict(largest.params)["axes"]) <= set(terms[1]):
        return 1.0
    return 0.0 if lower_bound(builder, equation.operands[0], depth) >= 0 else -inf


def of_each(builder: Builder, equation: Equation, depth: int) -> list[float]:
    """The bounds of all operands."""
    return [lower_bound(builder, operand, depth) for operand in equation.operands]


def of_add(builder: Builder, equation: Equation, depth: int) -> float:
    """The sum of the bounds: rounding keeps order, and bounds that are not small integers are not trusted."""
    total = sum(of_each(builder, equation, depth))
    return total if total in (0.0, 1.0, 2.0) else 0.0 if total > 0 else -inf


def of_product(builder: Builder, equation: Equation, depth: int) -> float:
    """Products of what is not negative are not."""
    return 0.0 if min(of_each(builder, equation, depth)) >= 0 else -inf


def of_copies(builder: Builder, equation: Equation, depth: int) -> float:
    """Of whichever operand elements come from."""
    copied = equation.primitive.facts.copies or slice(0, 0)
    return min((lower_bound(builder, operand, depth) for operand in equation.operands[copied]), default=-inf)


def of_maximum(builder: Builder, equation: Equation, depth: int) -> float:
    """The larger bound."""
    return max(of_each(builder, equation, depth))


def of_minimum(builder: Builder, equation: Equation, depth: int) -> float:
    """The smaller bound."""
    return min(of_each(builder, equation, depth))


CHOOSING: dict[str, Bound] = {"maximum": of_maximum, "minimum": of_minimum}
"""Operations whose results are some of their operands' elements, whatever their dtype."""

ARITHMETIC: dict[str, Bound] = {"add": of_add, "multiply": of_product}
"""Operations on floating-point numbers."""


def rule_of(primitive: Primitive, dtype: np.dtype[Any]) -> Bound | None:
    """The bound of an operation's results; integers overflow."""
    facts = primitive.facts
    if facts.copies is not None:
        return of_copies
    if facts.fold in (LARGEST, SMALLEST):
        return own
    if primitive.name in CHOOSING or dtype.kind != "f":
        return CHOOSING.get(primitive.name)
    if facts.nonnegative:
        return zero
    return of_sum if facts.fold is ADDED else ARITHMETIC.get(primitive.name)
