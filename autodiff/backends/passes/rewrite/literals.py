"""Numbers that stand in a tape as themselves, and rules that look at them."""

from __future__ import annotations

from dataclasses import replace
from math import copysign
from typing import Any

import numpy as np

from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.trace.tape import Equation, Literal, Operand

EXACT_INTEGERS = 2**53
"""Floats are exact up to here."""

INTEGERS = range(-(2**63), 2**64)
"""Arrays hold no others."""

DOUBLE = 8
"""The bytes of a float."""


def number(operand: Operand) -> Any:
    """The real number that a literal is, None for anything else, and for integers that no array holds."""
    value = operand.value if isinstance(operand, Literal) else None
    if type(value) is int:
        return value if value in INTEGERS else None
    return value if isinstance(value, (float, np.integer, np.floating)) else None


def negated(operand: Operand) -> Operand | None:
    """The literal of the other sign; of 0 it is -0.0."""
    value = number(operand)
    if value is None or isinstance(value, np.integer):
        return None
    return Literal(-value if value != 0 or isinstance(value, (float, np.floating)) else -0.0)


def is_negative_zero(value: Any) -> bool:
    """Whether a number is -0.0."""
    return value is not None and value == 0 and isinstance(value, (float, np.floating)) and copysign(1.0, value) < 0


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


def floating(builder: Builder, equation: Equation) -> bool:
    """Whether the result is of real floating-point numbers that NumPy computes."""
    out = equation.specs[0]
    return out.dtype.kind == "f" and out.kind != "python"


def same_dtype(builder: Builder, inner: Equation, outer: Equation) -> bool:
    """Whether an operation computes in the dtype of the one that takes its result."""
    return builder.spec(inner.operands[0]).dtype == outer.specs[0].dtype


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
