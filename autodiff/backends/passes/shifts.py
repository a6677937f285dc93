"""Sums that, as formulas, are zero, and are nothing but rounding errors as reverse mode computes them.

exp(x - max(x)) / sum(exp(x - max(x))) is the same whatever is subtracted, and so the cotangents that reach the maximum
cancel. A variance is the same whatever is subtracted as the mean, and sum(x - mean(x)) is zero. Where the formula that
is left gives finite numbers, so did the one with these sums; they are nearer to the derivative without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autodiff.backends.passes.dead import drop_dead
from autodiff.backends.passes.literals import number
from autodiff.backends.passes.patterns import largest_below, unshaped
from autodiff.backends.passes.rewriting import Builder, Rules, rewrite
from autodiff.backends.passes.symbolic import Monomial, Polynomial, Reader, plus
from autodiff.trace.tape import Equation, Literal, Operand, Tape

FACTORS = 6
"""Through so many of them a sum is looked for."""


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


def sum_without_zero(builder: Builder, equation: Equation) -> Operand | None:
    """sum(x + y) is sum(x), where sum(y), as a formula, is zero."""
    (operand,) = equation.operands
    total = builder.made(operand, "add")
    axes = dict(equation.params)["axes"]
    if total is None or equation.specs[0].dtype.kind != "f" or not axes:
        return None
    own = builder.spec(operand)
    reader = Reader(builder, own.shape, axes)
    for kept, other in (total.operands, total.operands[::-1]):
        if isinstance(other, int) and builder.spec(kept) == own and not reader.total(other):
            return builder.emit(equation.primitive, kept, axes=axes)
    return None


def add_zero_sum(builder: Builder, equation: Equation) -> Operand | None:
    """g + c is g, where c is a sum that, as a formula, is zero, such as that of x - mean(x)."""
    for kept, other in (equation.operands, equation.operands[::-1]):
        if builder.spec(kept) == equation.specs[0] and is_zero_sum(builder, other):
            return kept
    return None


def subtract_zero_sum(builder: Builder, equation: Equation) -> Operand | None:
    """g - c is g, where c is a sum that, as a formula, is zero."""
    kept, other = equation.operands
    return kept if builder.spec(kept) == equation.specs[0] and is_zero_sum(builder, other) else None


def is_zero_sum(builder: Builder, operand: Operand) -> bool:
    """Whether a value is, as a formula, zero because of a sum in it."""
    operand = unshaped(builder, operand)
    total = sum_in(builder, operand)
    if total is None:
        return False
    reader = Reader(builder, builder.spec(total.operands[0]).shape, dict(total.params)["axes"])
    return builder.spec(operand).shape == reader.row and not reader.reduced(operand)


def sum_in(builder: Builder, operand: Operand) -> Equation | None:
    """The sum that a value is but for its sign, and factors that are the same for all terms."""
    for _ in range(FACTORS):
        total = builder.made(operand, "sum")
        if total is not None:
            return total if total.specs[0].dtype.kind == "f" else None
        inner = builder.made(operand, "reshape", "negative", "subtract", "multiply", "divide")
        if inner is None:
            return None
        operand = inner.operands[-1 if isinstance(inner.operands[0], Literal) else 0]
    return None


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
    "add": (add_cancelled, add_zero_sum),
    "subtract": (subtract_zero_sum,),
    "sum": (sum_without_zero,),
}


def drop_shifts(tape: Tape) -> Tape:
    """The tape without sums that cancel, such as the cotangents of maxima that were subtracted for safety."""
    return drop_dead(rewrite(tape, SHIFTS, merge=True))
