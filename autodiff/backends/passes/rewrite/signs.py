"""Minus signs are moved to where they meet and cancel, or where something is added. Every bit stays."""

from __future__ import annotations

from autodiff.backends.passes.rewrite.literals import floating, negated, same_dtype
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.elementwise import add, divide, negative, subtract
from autodiff.ops.shape import sum_axes
from autodiff.trace.tape import Equation, Literal, Operand


def add_negative(builder: Builder, equation: Equation) -> Operand | None:
    """x + -y is x - y."""
    x, y = equation.operands
    for kept, other in ((x, y), (y, x)):
        inner = builder.made(other, "negative")
        if inner is not None and same_dtype(builder, inner, equation):
            return builder.emit(subtract, kept, inner.operands[0])
    return None


def subtract_negative(builder: Builder, equation: Equation) -> Operand | None:
    """x - -y is x + y."""
    x, y = equation.operands
    inner = builder.made(y, "negative")
    if inner is None or not same_dtype(builder, inner, equation):
        return None
    return builder.emit(add, x, inner.operands[0])


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


def sum_of_negative(builder: Builder, equation: Equation) -> Operand | None:
    """sum(-x) is 0 - sum(x): rounding knows no sign, and of sums that are zero both are 0.0."""
    inner = builder.made(equation.operands[0], "negative")
    if inner is None or not floating(builder, equation) or not same_dtype(builder, inner, equation):
        return None
    if not dict(equation.params)["axes"]:
        return None
    return builder.emit(subtract, Literal(0.0), builder.emit(sum_axes, inner.operands[0], **dict(equation.params)))


SIGNS: Rules = {
    "add": (add_negative,),
    "subtract": (subtract_negative,),
    "multiply": (sign_outside,),
    "divide": (sign_outside,),
    "negative": (negative_of,),
    "sum": (sum_of_negative,),
}
