"""Choosing between values: conditions that are known, that say the same twice, or that another one implies."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends.passes.rewrite.bounds import lower_bound
from autodiff.backends.passes.rewrite.literals import number
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.elementwise import greater, greater_equal, less, less_equal, logical_not, where
from autodiff.ops.index import put, slice_into
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.tape import Equation, Literal, Operand

OPPOSITES = {"less": greater_equal, "less_equal": greater, "greater": less_equal, "greater_equal": less}


def truth(builder: Builder, operand: Operand) -> bool | None:
    """What a condition is everywhere, None if that is not known."""
    maker = builder.made(operand, "broadcast_to")
    source = maker.operands[0] if maker is not None else operand
    return bool(source.value) if isinstance(source, Literal) else None


def choose_known(builder: Builder, equation: Equation) -> Operand | None:
    """where(True, x, y) is x, repeated to the shape of the result."""
    condition, x, y = equation.operands
    known = truth(builder, condition)
    if known is None:
        return None
    chosen, out = (x if known else y), equation.specs[0]
    own = builder.spec(chosen)
    if own == out or own.dtype != out.dtype or own.kind == "python":
        return chosen
    return builder.emit(broadcast_to, chosen, shape=out.shape)


def choose_otherwise(builder: Builder, equation: Equation) -> Operand | None:
    """where(not c, x, y) is where(c, y, x)."""
    condition, x, y = equation.operands
    inner = builder.made(condition, "logical_not")
    if inner is None or builder.spec(inner.operands[0]).dtype != bool:
        return None
    return builder.emit(where, inner.operands[0], y, x)


def choose_again(builder: Builder, equation: Equation) -> Operand | None:
    """where(c, where(c, x, y), z) is where(c, x, z), and where(c, x, where(c, y, z)) is too."""
    condition, x, y = equation.operands
    first, second = builder.made(x, "where"), builder.made(y, "where")
    if first is not None and first.operands[0] == condition and keeps(builder, first, 1):
        x = first.operands[1]
    if second is not None and second.operands[0] == condition and keeps(builder, second, 2):
        y = second.operands[2]
    if (x, y) == equation.operands[1:]:
        return None
    return builder.emit(where, condition, x, y)


def keeps(builder: Builder, equation: Equation, place: int) -> bool:
    """Whether a choice has the dtype of one of its operands: otherwise it rounds it."""
    own = builder.spec(equation.operands[place])
    return own.dtype == equation.specs[0].dtype and own.kind != "python"


def choose_straight(builder: Builder, equation: Equation) -> Operand | None:
    """straight_where(c, x) is where(c, x, 0) once nobody differentiates any more."""
    zero: Any = Literal(0)
    return builder.emit(where, *equation.operands, zero)


def choose_unwritten(builder: Builder, equation: Equation) -> Operand | None:
    """where(unwritten(i), x, 0) is put(x, i, 0), which a loop does in place."""
    condition, x, y = equation.operands
    moved = builder.made(condition, "reshape")
    places = builder.made(condition if moved is None else moved.operands[0], "unwritten")
    (out,), zero = equation.specs, number(y)
    if places is None or zero is None or zero != 0 or np.signbit(zero) or builder.spec(x) != out:
        return None
    if builder.spec(condition).shape != out.shape:
        return None  # the same places in each example of a batch
    (i,), (mask,) = places.operands, places.specs
    nothing: Any = Literal(out.dtype.type(0))
    zeros = builder.emit(broadcast_to, nothing, shape=builder.spec(i).shape)
    lines = x if moved is None else builder.emit(reshape, x, shape=mask.shape)
    written = builder.emit(put, lines, i, zeros)
    return written if moved is None else builder.emit(reshape, written, shape=out.shape)


def choose_in_part(builder: Builder, equation: Equation) -> Operand | None:
    """A choice between zeros with a part and zeros, by a mask of that part, is made in the part."""
    condition, x, y = equation.operands
    mask, part = builder.made(condition, "slice_into"), builder.made(x, "slice_into")
    (out,), zero = equation.specs, number(y)
    if mask is None or part is None or zero is None or zero != 0 or np.signbit(zero) or builder.spec(x) != out:
        return None
    if mask.params != part.params or builder.spec(mask.operands[0]).shape != builder.spec(part.operands[0]).shape:
        return None
    chosen = builder.emit(where, mask.operands[0], part.operands[0], y)
    return builder.emit(slice_into, chosen, **dict(part.params))


def write_once(builder: Builder, equation: Equation) -> Operand | None:
    """A single write to each line stays."""
    out = equation.specs[0]
    true: Any = Literal(np.True_)
    return builder.emit(broadcast_to, true, shape=out.shape) if out.shape[-1] == 1 else None


def compare_known(builder: Builder, equation: Equation) -> Operand | None:
    """x < c is false where x cannot be that small; NaN compares false anyway."""
    x, y = equation.operands
    value = number(y)
    if value is None:
        return None
    if np.isnan(value) or lower_bound(builder, x) < value:
        return None
    false: Any = Literal(np.False_)
    shape = equation.specs[0].shape
    return builder.emit(broadcast_to, false, shape=shape) if shape else false


def less_or_nan(builder: Builder, equation: Equation) -> Operand | None:
    """x >= c or isnan(x) is not (x < c), where c is a number and no NaN."""
    for one, other in (equation.operands, equation.operands[::-1]):
        comparison = builder.made(one, *OPPOSITES)
        missing = builder.made(other, "isnan")
        if comparison is None or missing is None or comparison.operands[0] != missing.operands[0]:
            continue
        value = number(comparison.operands[1])
        if value is not None and not np.isnan(value):
            opposite = builder.emit(OPPOSITES[comparison.primitive.name], *comparison.operands)
            return builder.emit(logical_not, opposite)
    return None


CHOICES: Rules = {
    "straight_where": (choose_straight,),
    "where": (choose_known, choose_otherwise, choose_again, choose_unwritten, choose_in_part),
    "last_writes": (write_once,),
    "less": (compare_known,),
    "logical_or": (less_or_nan,),
}
