"""What may meet a Variable in an operator: numbers and arrays give way to its dtype, other Variables must agree."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from autodiff.facade.functions.invalid import invalid
from autodiff.facade.settings.mode import promoting
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.values.leaves import as_leaf

MANY = 256

CONTAINERS = frozenset({list, tuple, dict, set, str, bytes, type(None)})
"""What is no operand, and knows no operators that could take a Variable."""

DEMANDING = frozenset({"multiply", "divide", "power", "absolute"})
"""Operators that take no integer Variables, but integers times a number."""


class Scalars(dict[np.dtype[Any], dict[Any, Any]]):
    """Numbers as arrays without axes, by dtype: with those NumPy is twice as fast as with Python's numbers."""

    def __missing__(self, dtype: np.dtype[Any]) -> dict[Any, Any]:
        found = self[dtype] = {}
        return found


SCALARS = Scalars()


def weak_scalar(dtype: np.dtype[Any], value: Any) -> Any:
    """A number as an array of the given dtype; None if the dtype cannot hold it."""
    if dtype.kind in "iub" and dtype.type(value) != value:
        return None
    array = np.asarray(dtype.type(value))
    array.flags.writeable = False
    if value == value and value != 0:  # 0.0 == -0.0, and NaN is not found again
        table = SCALARS[dtype]
        if len(table) >= MANY:
            table.clear()
        table[value] = array
    return array


def other_operand(primitive: Primitive, variable: Variable, other: Any) -> Any:
    """The other operand of an operator as it takes part: cast, or NotImplemented.

    Raises:
        InvalidType: if it does not fit.
    """
    dtype = variable.dtype
    if isinstance(other, Variable):
        if other.dtype != dtype and not promoting():
            raise invalid(
                label(primitive),
                "lhs.dtype == rhs.dtype",
                f"{dtype} != {other.dtype}",
                "Variables of different dtypes do not mix; cast one of them.",
            )
        demand_floats(primitive, dtype)
        return other
    if isinstance(other, Traced):
        return other
    if isinstance(other, (bool, int, float, complex, np.generic)):
        return number_operand(primitive, dtype, other)
    if not is_array(other):
        if type(other) in CONTAINERS:
            refuse_operand(primitive, other)
        return NotImplemented
    other = as_leaf(other)
    if other.dtype != dtype and not promoting():
        if not np.can_cast(other.dtype, dtype, "same_kind"):
            refuse_cast(primitive, dtype, f"an array of dtype {other.dtype}")
        other = other.astype(dtype)
    demand_floats(primitive, dtype)
    return other


def number_operand(primitive: Primitive, dtype: np.dtype[Any], number: Any) -> Any:
    """A number as it meets a Variable of the given dtype."""
    if isinstance(number, np.generic):
        if number.dtype.kind not in "biufc":
            return NotImplemented
        number = number.item() if isinstance(number.item(), (bool, int, float, complex)) else dtype.type(number)
    if isinstance(number, complex) and dtype.kind != "c" and not promoting():
        refuse_cast(primitive, dtype, repr(number))
    if dtype.kind in "iub":
        if primitive.name in ("divide", "power"):
            demand_floats(primitive, dtype)
        if dtype.type(number) != number:
            refuse_cast(primitive, dtype, repr(number))
        return dtype.type(number)
    return number


def demand_floats(primitive: Primitive, dtype: np.dtype[Any]) -> None:
    """See that operators which take no integers get none."""
    if dtype.kind not in "fc" and primitive.name in DEMANDING and not promoting():
        raise invalid(
            label(primitive),
            "in_types[0].dtype.kind == f",
            f"{dtype.kind} != f",
            "Cast the Variable to a floating-point dtype.",
        )


def refuse_operand(primitive: Primitive, other: Any) -> NoReturn:
    """Say that something is no operand."""
    remedy = "is the return of a function missing?" if other is None else "np.asarray makes an array of numbers"
    raise TypeError(
        f"the operands of {label(primitive)} must be Variables, arrays or numbers, got {type(other).__name__}"
        f"{at_user_line()}; {remedy}"
    )


def refuse_cast(primitive: Primitive, dtype: np.dtype[Any], what: str) -> None:
    """Say that a constant does not fit the Variable."""
    raise invalid(
        label(primitive),
        f"a constant that {dtype} can hold",
        what,
        "Constants are cast to the dtype of the Variable; this one would lose its value. Cast the Variable.",
    )


def label(primitive: Primitive) -> str:
    """The label of an operator between arrays."""
    form = primitive.facts.label
    return form.format("_", "_") if form else primitive.name
