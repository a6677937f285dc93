"""Sums that, as formulas, are zero, and are nothing but rounding errors as reverse mode computes them.

exp(x - max(x)) / sum(exp(x - max(x))) is the same whatever is subtracted, and so the cotangents that reach the maximum
cancel. Where the formula that is left gives finite numbers, so did the one with these sums; it is nearer to the
derivative without.

A variance is the same whatever is subtracted as the mean, and sum(x - mean(x)) is zero, too, but for what the mean was
rounded by. That sum takes the error of the mean out of the derivative again, so it stays. Factors that are the same for
all terms leave it: then it need not wait for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autodiff.backends.passes.rewrite.literals import number
from autodiff.backends.passes.rewrite.patterns import largest_below, unshaped
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.backends.passes.rewrite.symbolic import Monomial, Polynomial, Reader, plus
from autodiff.ops.elementwise import add, divide, multiply
from autodiff.ops.shape import reshape
from autodiff.trace.tape import Equation, Operand

FACTORS = 6
"""So many of them are taken out of a sum."""


class Share(NamedTuple):
    """What comes back through a maximum: where(x is the largest, cotangent / count, 0).

    Attributes:
        largest: the maximum.
        mask: where x is the largest.
        cotangent: of the maximum.
        ties: how often it occurs.
    """

    largest: Equation
    mask: Operand
    cotangent: Operand
    ties: Operand


def share_of(builder: Builder, operand: Operand) -> Share | None:
    """The share that a value is."""
    choice = builder.made(operand, "where")
    largest = None if choice is None else maximum_of(builder, choice)
    if choice is None or largest is None:
        return None
    quotient = builder.made(unshaped(builder, choice.operands[1]), "divide")
    return Share(largest, choice.operands[0], *quotient.operands) if quotient is not None else None


def add_cancelled(builder: Builder, equation: Equation) -> Operand | None:
    """g + where(x is the largest, c / count, 0) is g, where c, as a formula, is zero; c may come in two parts.

    A row with a NaN or an infinite maximum is NaN with and without: g has the exponentials as factors.
    """
    for kept, other in (equation.operands, equation.operands[::-1]):
        share = share_of(builder, other)
        if share is None:
            continue
        for rest, parts in ((kept, [share]), *without_share(builder, kept, share)):
            if builder.spec(rest) == equation.specs[0] and cancels(builder, rest, parts):
                return rest
    return None


def without_share(builder: Builder, operand: Operand, share: Share) -> list[tuple[Operand, list[Share]]]:
    """What else there is in a sum of which one term comes back through the same maximum."""
    total = builder.made(operand, "add")
    found = []
    for rest, other in (total.operands, total.operands[::-1]) if total is not None else ():
        part = share_of(builder, other)
        if part is not None and (part.mask, part.ties) == (share.mask, share.ties):
            found.append((rest, [share, part]))
    return found


def cancels(builder: Builder, rest: Operand, parts: Sequence[Share]) -> bool:
    """Whether the cotangents of a maximum cancel, and what is left has the exponentials as factors."""
    largest = parts[0].largest
    reader = Reader(builder, builder.spec(largest.operands[0]).shape, dict(largest.params)["axes"])
    total: Polynomial = {}
    for part in parts:
        if isinstance(part.cotangent, int) and builder.spec(part.cotangent).shape != reader.row:
            return False
        total = plus(total, reader.reduced(part.cotangent))
    return not total and any(has_exponential(builder, monomial, largest) for monomial in reader.varying(rest))


def sum_apart(builder: Builder, equation: Equation) -> Operand | None:
    """sum(x + c * y) is sum(x) + c * sum(y), where sum(y), as a formula, is zero."""
    (operand,) = equation.operands
    total = builder.made(operand, "add")
    if total is None or not is_real_sum(equation):
        return None
    reader = Reader(builder, builder.spec(operand).shape, dict(equation.params)["axes"])
    for kept, other in (total.operands, total.operands[::-1]):
        if builder.spec(kept) == builder.spec(other) and factors_out(builder, reader, other)[0]:
            parts = (builder.emit(equation.primitive, one, **dict(equation.params)) for one in (kept, other))
            return builder.emit(add, *parts)
    return None


def factored_sum(builder: Builder, equation: Equation) -> Operand | None:
    """sum(c * y) is c * sum(y), where sum(y), as a formula, is zero."""
    if not is_real_sum(equation):
        return None
    (operand,) = equation.operands
    reader = Reader(builder, builder.spec(operand).shape, dict(equation.params)["axes"])
    factors, rest = factors_out(builder, reader, operand)
    if not factors:
        return None
    found = builder.emit(equation.primitive, rest, **dict(equation.params))
    for name, factor in reversed(factors):
        if builder.spec(factor).shape == reader.column and reader.column != reader.row:
            factor = builder.emit(reshape, factor, shape=reader.row)
        found = builder.emit(divide if name == "divide" else multiply, found, factor)
    return found


def is_real_sum(equation: Equation) -> bool:
    """Whether it adds real floating-point numbers along some axes."""
    return equation.specs[0].dtype.kind == "f" and bool(dict(equation.params)["axes"])


def factors_out(builder: Builder, reader: Reader, operand: Operand) -> tuple[list[tuple[str, Operand]], Operand]:
    """Factors and divisors that are the same for all terms, and what is left, of a sum that, as a formula, is zero.

    None are found if one of them is no array: numbers alone are not worth it.
    """
    own, found, rest = builder.spec(operand), list[tuple[str, Operand]](), operand
    for _ in range(FACTORS):
        product = builder.made(rest, "multiply", "divide")
        pairs = [] if product is None else [product.operands, product.operands[::-1]]
        for first, second in pairs[: 1 if product is not None and product.primitive is divide else 2]:
            if builder.spec(first) == own and builder.spec(second).shape in (reader.column, ()):
                assert product is not None
                found.append((product.primitive.name, second))
                rest = first
                break
        else:
            break
    if not any(isinstance(factor, int) for _, factor in found) or reader.total(rest):
        return [], operand
    return found, rest


def maximum_of(builder: Builder, choice: Equation) -> Equation | None:
    """The maximum whose cotangent a choice shares out: where(x == max(x) or isnan(x), share, 0)."""
    condition, _, nothing = choice.operands
    either = builder.made(condition, "logical_or")
    if either is None or number(nothing) != 0:
        return None
    for one, other in (either.operands, either.operands[::-1]):
        same, missing = builder.made(one, "equal"), builder.made(other, "isnan")
        if same is None or missing is None:
            continue
        x = missing.operands[0]
        for first, second in (same.operands, same.operands[::-1]):
            largest = builder.made(unshaped(builder, second), "max")
            if first == x and largest is not None and largest.operands[0] == x:
                return largest
    return None


def has_exponential(builder: Builder, monomial: Monomial, largest: Equation) -> bool:
    """Whether exp(x - max(x)) is a factor."""
    for (kind, operand), power in monomial:
        grown = builder.made(operand, "exp") if kind == "varying" and power > 0 else None
        if grown is not None and largest_below(builder, grown.operands[0]) is largest:
            return True
    return False


SHIFTS: Rules = {
    "add": (add_cancelled,),
    "sum": (sum_apart, factored_sum),
}
