"""How small a value can be, as far as the operations that made it tell."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from autodiff.backends.passes.rewrite.literals import number
from autodiff.backends.passes.rewrite.patterns import largest_below, summed_exponential
from autodiff.backends.passes.rewrite.rewriting import Builder
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
    table = BOUNDS if kind == "f" else CHOOSING  # integers overflow
    rule = None if maker is None or len(maker.results) != 1 else table.get(maker.primitive.name)
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


def of_choice(builder: Builder, equation: Equation, depth: int) -> float:
    """Of either of the last two operands."""
    return min(lower_bound(builder, operand, depth) for operand in equation.operands[-2:])


def of_maximum(builder: Builder, equation: Equation, depth: int) -> float:
    """The larger bound."""
    return max(of_each(builder, equation, depth))


def of_minimum(builder: Builder, equation: Equation, depth: int) -> float:
    """The smaller bound."""
    return min(of_each(builder, equation, depth))


# fmt: off
CHOOSING: dict[str, Bound] = {
    **dict.fromkeys(("reshape", "broadcast_to", "transpose", "slice_of", "copy", "max", "min"), own),
    **dict.fromkeys(("gather", "pick", "stop_gradient", "positive"), own),
    "where": of_choice, "maximum": of_maximum, "minimum": of_minimum,
}
"""Operations whose results are some of their operands' elements."""

BOUNDS: dict[str, Bound] = {
    **CHOOSING,
    **dict.fromkeys(("exp", "exp2", "square", "absolute", "fabs", "logistic", "expit", "softplus", "softmax"), zero),
    **dict.fromkeys(("sqrt", "root", "cosh", "rectifier", "hypot", "erfc"), zero),
    **dict.fromkeys(("sum", "sum_as"), of_sum),
    "add": of_add, "multiply": of_product,
}
# fmt: on
