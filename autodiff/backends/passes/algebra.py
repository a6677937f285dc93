"""Identities of arithmetic and logic that keep every bit: NaN, infinities and the signs of zeros as they were."""

from __future__ import annotations

from dataclasses import replace
from math import copysign, frexp
from typing import Any

import numpy as np

from autodiff.backends.passes.dead import drop_dead
from autodiff.backends.passes.rewriting import Builder, Rules, for_all, rewrite
from autodiff.ops.elementwise import (
    add,
    divide,
    multiply,
    negative,
    not_equal,
    square,
    subtract,
)
from autodiff.ops.shape import sum_axes
from autodiff.trace.tape import Equation, Literal, Operand, Tape

EXACT_INTEGERS = 2**53
"""Floats are exact up to here."""

DOUBLE = 8
"""The bytes of a float."""


def number(operand: Operand) -> Any:
    """The real number that a literal is, None for anything else."""
    value = operand.value if isinstance(operand, Literal) else None
    return value if isinstance(value, (int, float, np.integer, np.floating)) and type(value) is not bool else None


def floating(builder: Builder, equation: Equation) -> bool:
    """Whether the result is of real floating-point numbers that NumPy computes."""
    out = equation.specs[0]
    return out.dtype.kind == "f" and out.kind != "python"


def same_dtype(builder: Builder, inner: Equation, outer: Equation) -> bool:
    """Whether an operation computes in the dtype of the one that takes its result."""
    return builder.spec(inner.operands[0]).dtype == outer.specs[0].dtype


def negated(operand: Operand) -> Operand | None:
    """The literal of the other sign; of 0 it is -0.0."""
    value = number(operand)
    if value is None or isinstance(value, np.integer):
        return None
    return Literal(-value if value != 0 or isinstance(value, (float, np.floating)) else -0.0)


def is_negative_zero(value: Any) -> bool:
    """Whether a number is -0.0."""
    return value is not None and value == 0 and isinstance(value, (float, np.floating)) and copysign(1.0, value) < 0


def add_nothing(builder: Builder, equation: Equation) -> Operand | None:
    """x + -0.0 is x; for integers so is x + 0."""
    x, y = equation.operands
    if equation.specs[0].dtype.kind == "c":
        return None
    whole = equation.specs[0].dtype.kind in "iu"
    for kept, other in ((x, y), (y, x)):
        value = number(other)
        if is_negative_zero(value) or (whole and value is not None and value == 0):
            return kept
    return None


def add_negative(builder: Builder, equation: Equation) -> Operand | None:
    """x + -y is x - y."""
    x, y = equation.operands
    for kept, other in ((x, y), (y, x)):
        inner = builder.made(other, "negative")
        if inner is not None and same_dtype(builder, inner, equation):
            return builder.emit(subtract, kept, inner.operands[0])
    return None


def subtract_nothing(builder: Builder, equation: Equation) -> Operand | None:
    """x - 0.0 is x."""
    x, y = equation.operands
    value = number(y)
    if value is None or equation.specs[0].dtype.kind == "c":
        return None
    return x if value == 0 and not is_negative_zero(value) else None


def subtract_negative(builder: Builder, equation: Equation) -> Operand | None:
    """x - -y is x + y."""
    x, y = equation.operands
    inner = builder.made(y, "negative")
    if inner is None or not same_dtype(builder, inner, equation):
        return None
    return builder.emit(add, x, inner.operands[0])


def multiply_by_one(builder: Builder, equation: Equation) -> Operand | None:
    """x * 1 is x, and x * -1 is -x; not of complex numbers, where it makes NaN of infinities."""
    x, y = equation.operands
    if equation.specs[0].dtype.kind not in "iuf":
        return None
    for kept, other in ((x, y), (y, x)):
        value = number(other)
        if value is None or abs(value) != 1:
            continue
        if value == 1:
            return kept
        if builder.spec(kept) == equation.specs[0]:
            return builder.emit(negative, kept)
    return None


def multiply_alike(builder: Builder, equation: Equation) -> Operand | None:
    """x * x is the square of x."""
    x, y = equation.operands
    return builder.emit(square, x) if x == y and floating(builder, equation) else None


def sign_outside(builder: Builder, equation: Equation) -> Operand | None:
    """(-x) * y is -(x * y), and so are quotients: signs meet where they cancel, or where something is added.

    A number takes the sign itself.
    """
    if not floating(builder, equation):
        return None
    operands = list(equation.operands)
    flips = 0
    for k, operand in enumerate(operands):
        inner = builder.made(operand, "negative")
        if inner is not None and builder.used_once(operand) and same_dtype(builder, inner, equation):
            operands[k] = inner.operands[0]
            flips += 1
    if not flips:
        return None
    for k, operand in enumerate(operands):
        other = negated(operand)
        if flips == 1 and other is not None:
            operands[k], flips = other, 2
    out = builder.emit(equation.primitive, *operands)
    return out if flips == 2 else builder.emit(negative, out)


def negative_of(builder: Builder, equation: Equation) -> Operand | None:
    """-(-x) is x; of a product with a number the number takes the sign."""
    (x,) = equation.operands
    inner = builder.made(x, "negative")
    if inner is not None:
        return inner.operands[0]
    inner = builder.made(x, "multiply", "divide")
    if inner is None or not floating(builder, equation) or not builder.used_once(x):
        return None
    others = [negated(operand) for operand in inner.operands]
    if others.count(None) != 1 or (inner.primitive is divide and others[0] is not None):
        return None  # of 1 / y there may be others, which would not be the same then
    return builder.emit(inner.primitive, *(o if other is None else other for o, other in zip(inner.operands, others)))


def divide_by_one(builder: Builder, equation: Equation) -> Operand | None:
    """x / 1 is x, and x / -1 is -x."""
    x, y = equation.operands
    value = number(y)
    if value is None or abs(value) != 1 or equation.specs[0].dtype.kind == "c":
        return None
    return x if value == 1 else builder.emit(negative, x) if floating(builder, equation) else None


def divide_by_power_of_two(builder: Builder, equation: Equation) -> Operand | None:
    """x / 2^k is x * 2^-k, where both numbers are normal ones of the result's dtype."""
    x, y = equation.operands
    value = number(y)
    if value is None or not floating(builder, equation) or not np.isfinite(value) or value == 0:
        return None
    mantissa, exponent = frexp(value)
    limits = np.finfo(equation.specs[0].dtype)
    if abs(mantissa) != 0.5 or not limits.minexp < exponent < limits.maxexp - 1:
        return None
    inverse = 1.0 / float(value)
    made = type(value)(inverse) if isinstance(value, np.floating) else inverse
    return builder.emit(multiply, x, Literal(made))


def power_of_number(builder: Builder, equation: Equation) -> Operand | None:
    """x ** 1 is x, and x ** 2 is the square."""
    x, y = equation.operands
    value = number(y)
    if value is None or not floating(builder, equation):
        return None
    if value == 1:
        return x
    return builder.emit(square, x) if value == 2 and builder.spec(x) == equation.specs[0] else None


def alike(builder: Builder, equation: Equation) -> Operand | None:
    """The larger of x and x is x, and so are other choices between equals."""
    x, y = equation.operands[-2:]
    return x if x == y else None


def real_already(builder: Builder, equation: Equation) -> Operand | None:
    """Of real numbers the conjugate and the real part are what they are."""
    (x,) = equation.operands
    return x if builder.spec(x).dtype.kind in "biuf" else None


def not_again(builder: Builder, equation: Equation) -> Operand | None:
    """not (not x) is x, and not (x == y) is x != y."""
    (x,) = equation.operands
    inner = builder.made(x, "logical_not")
    if inner is not None:
        return inner.operands[0]
    inner = builder.made(x, "equal")
    return builder.emit(not_equal, *inner.operands) if inner is not None else None


def plain_number(builder: Builder, equation: Equation) -> Operand | None:
    """2, 2.0 and np.float32(2) are one number where they meet an array of float32."""
    operands = tuple(map(plain, equation.operands))
    if operands == equation.operands:
        return None
    found = equation.primitive.spec(*map(builder.spec, operands), **dict(equation.params))
    if found != equation.specs[0] or all(isinstance(operand, Literal) for operand in operands):
        return None
    if any(isinstance(o, int) and builder.spec(o).dtype.kind != "f" for o in operands):
        return None
    return builder.place(replace(equation, operands=operands))[0]


def plain(operand: Operand) -> Operand:
    """A literal as a float of Python, where that is the same number."""
    value = number(operand)
    if (
        value is None
        or type(value) is float
        or (isinstance(value, (int, np.integer)) and abs(int(value)) > EXACT_INTEGERS)
    ):
        return operand
    return Literal(float(value)) if np.dtype(type(value)).itemsize <= DOUBLE else operand


def sum_of_negative(builder: Builder, equation: Equation) -> Operand | None:
    """sum(-x) is 0 - sum(x): rounding knows no sign, and of sums that are zero both are 0.0."""
    inner = builder.made(equation.operands[0], "negative")
    if inner is None or not floating(builder, equation) or not same_dtype(builder, inner, equation):
        return None
    if not dict(equation.params)["axes"]:
        return None
    return builder.emit(subtract, Literal(0.0), builder.emit(sum_axes, inner.operands[0], **dict(equation.params)))


ALGEBRA: Rules = {
    "add": (add_nothing, add_negative, plain_number),
    "subtract": (subtract_nothing, subtract_negative, plain_number),
    "multiply": (multiply_by_one, sign_outside, multiply_alike, plain_number),
    "divide": (divide_by_one, sign_outside, divide_by_power_of_two, plain_number),
    "sum": (sum_of_negative,),
    "negative": (negative_of,),
    "power": (power_of_number,),
    "logical_not": (not_again,),
    **for_all(("maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "where"), alike),
    **for_all(("conjugate", "real"), real_already),
    "positive": (lambda builder, equation: equation.operands[0],),
}


def simplify_algebra(tape: Tape) -> Tape:
    """The tape without arithmetic that changes nothing, and with signs and constant divisors where they cost nothing.

    Every bit stays, but for the payload of NaN. A product with zero is not zero: of an infinity it is NaN.
    """
    return drop_dead(rewrite(tape, ALGEBRA))
