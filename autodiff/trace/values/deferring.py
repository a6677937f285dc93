"""Operators in which a traced value meets an object of another library: that may know how to hold it.

Such a library wraps the traced value, computes with it, and gives it back when its own object is taken apart, so that
no derivative is lost. Only where it does not want to, or is none, the operation is refused here; Python would say no
more than "unsupported operand type(s)".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.failures.classes import LeafError
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.values.arrays import module_of
from autodiff.trace.values.foreign import refusal
from autodiff.trace.values.sparse_operands import PRODUCTS, is_sparse

REFLECTED = {
    "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "matmul": "__rmatmul__",
    "divide": "__rtruediv__", "floor_divide": "__rfloordiv__", "remainder": "__rmod__", "power": "__rpow__",
    "bitwise_and": "__rand__", "bitwise_or": "__ror__", "bitwise_xor": "__rxor__",
    "left_shift": "__rlshift__", "right_shift": "__rrshift__",
}  # fmt: skip
"""What Python asks of the right operand where the left one gives up, by the names of operations."""

COMPARED = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))

NO_OPERANDS = (str, bytes, bytearray, dict, set, frozenset, type(None))
"""What is no operand: of text Python would make copies, as many as an index says."""


def left_to_other(name: str, operands: tuple[Any, ...]) -> Any:
    """The result that the operand which is not ours gives; NotImplemented where Python or NumPy asks it next.

    Raises:
        TypeError: if it is no operand.
        LeafError: if it gives no result.
    """
    other = next(operand for operand in operands if not isinstance(operand, Traced))
    if is_sparse(other) and name not in COMPARED:  # before what is no operand: one kind of them is a dictionary
        return PRODUCTS["scipy.sparse"](name, operands)
    if name in COMPARED:
        return compared_with_no_number(name, other, operands)
    if isinstance(other, NO_OPERANDS):
        remedy = "is the return of a function missing?" if other is None else "np.asarray makes an array of numbers"
        raise TypeError(
            f"the operands of {name} must be arrays or numbers, got {type(other).__name__}{at_user_line()}; {remedy}"
        )
    asked_before = other is not operands[-1]
    result = NotImplemented if asked_before else asked(other, name, operands)
    if result is NotImplemented:
        raise LeafError(refusal(other))
    return result


def compared_with_no_number(name: str, other: Any, operands: tuple[Any, ...]) -> Any:
    """What NumPy says of an array beside None or text: no element is equal to it. Of others Python decides."""
    traced = next(operand for operand in operands if isinstance(operand, Traced))
    shape = traced.spec.shape
    if not shape or name not in ("equal", "not_equal") or not isinstance(other, (str, bytes, type(None))):
        return NotImplemented
    return module_of(traced).full(shape, name == "not_equal")


def asked(other: Any, name: str, operands: tuple[Any, ...]) -> Any:
    """What the right operand says.

    Where it knows NumPy's functions it is asked for that: its operators may call nothing else, which would ask the left
    operand again.
    """
    ufunc, method = getattr(np, name, None), getattr(type(other), "__array_ufunc__", None)
    if method is not None and isinstance(ufunc, np.ufunc):
        return method(other, ufunc, "__call__", *operands)
    method = getattr(type(other), REFLECTED.get(name, ""), None)
    return NotImplemented if method is None else method(other, operands[0])
