"""Identities of arithmetic and logic that keep every bit: NaN, infinities and the signs of zeros as they were."""

from __future__ import annotations

from math import frexp

import numpy as np

from autodiff.backends.passes.rewrite.literals import floating, is_negative_zero, number, plain_number
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules, for_all
from autodiff.ops.elementwise import multiply, negative, not_equal, square
from autodiff.trace.tape import Equation, Literal, Operand


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


def subtract_nothing(builder: Builder, equation: Equation) -> Operand | None:
    """x - 0.0 is x."""
    x, y = equation.operands
    value = number(y)
    if value is None or equation.specs[0].dtype.kind == "c":
        return None
    return x if value == 0 and not is_negative_zero(value) else None


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


def divide_by_one(builder: Builder, equation: Equation) -> Operand | None:
    """x / 1 is x, and x / -1 is -x."""
    x, y = equation.operands
    value = number(y)
    if value is None or abs(value) != 1 or equation.specs[0].dtype.kind == "c":
        return None
    return x if value == 1 else builder.emit(negative, x) if builder.spec(x) == equation.specs[0] else None


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


ALGEBRA: Rules = {
    "add": (add_nothing, plain_number),
    "subtract": (subtract_nothing, plain_number),
    "multiply": (multiply_by_one, multiply_alike, plain_number),
    "divide": (divide_by_one, divide_by_power_of_two, plain_number),
    "power": (power_of_number,),
    "logical_not": (not_again,),
    **for_all(("maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "where"), alike),
    **for_all(("conjugate", "real"), real_already),
    "positive": (lambda builder, equation: equation.operands[0],),
}
"""A product with zero is not zero: of an infinity it is NaN."""
