"""Python's integers beside arrays, where only shapes are known.

Their dtype gives way to that of the array, which need not hold the number: NumPy raises OverflowError then, and only
its comparisons have an answer. Kernels would wrap around. So numbers are looked at when an operation is recorded; those
that are not known yet, the arguments of a program, are brought to the dtype by an operation that raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.trace.primitive import Primitive, find_primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, common_dtype, dtype_or_python, spec_of, weakened
from autodiff.trace.tracer import Tracer

COMPARISONS = frozenset((np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal))
"""The ufuncs that take integers of any size."""

SMALL = range(128)
"""Numbers that every dtype can hold."""

BEYOND = 2**63
"""From here on integers are no numbers of most tapes."""


def is_whole(value: Any) -> bool:
    """Whether it is an integer of Python's that some dtype cannot hold, or one that is not known yet."""
    if type(value) is int:
        return value not in SMALL
    if not isinstance(value, Tracer):
        return False
    its = value.spec
    return its.kind == "python" and its.dtype.kind == "i"


def held(number: Any, dtype: np.dtype[Any]) -> Any:
    """An integer of Python's that is written into an array of a dtype; anything else as it is.

    Raises:
        OverflowError: if the dtype cannot hold it.
    """
    try:
        return taken(number, dtype, compares=False) if is_whole(number) else number
    except OverflowError as error:
        raise OverflowError(f"{error}{at_user_line()}") from None


def settled(primitive: Primitive, operands: Sequence[Any]) -> list[Any]:
    """The operands of an operation, with integers of Python's as NumPy takes them beside the others.

    Raises:
        OverflowError: if the dtype in which the operation computes cannot hold one.
    """
    ufunc, specs = primitive.evaluate, list(map(spec_of, operands))
    if not isinstance(ufunc, np.ufunc) or all(its.kind == "python" for its in specs):
        return list(operands)
    compares = ufunc in COMPARISONS and any(its.kind != "python" and its.dtype.kind in "iu" for its in specs)
    return [
        taken(operand, taken_dtype(ufunc, specs, position), compares) if is_whole(operand) else operand
        for position, operand in enumerate(operands)
    ]


def taken_dtype(ufunc: np.ufunc, specs: Sequence[Spec], position: int) -> np.dtype[Any]:
    """The dtype to which a ufunc brings one of its operands."""
    if ufunc in COMPARISONS:
        return common_dtype(*specs)
    given = map(dtype_or_python, weakened(specs))
    dtypes: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout))
    return dtypes[position]


def taken(number: Any, dtype: np.dtype[Any], compares: bool) -> Any:
    """An integer of Python's in an operation that computes in a dtype."""
    if type(number) is not int:
        return taken_later(number, dtype, compares) if dtype.kind in "iu" and dtype != np.int64 else number
    if dtype.kind not in "biu":
        return number if abs(number) < BEYOND else rounded(number, dtype)
    limits = np.iinfo(np.int64 if dtype.kind == "b" else dtype)
    if limits.min <= number <= limits.max:
        return number
    if compares:
        return np.inf if number > 0 else -np.inf
    raise OverflowError(f"Python integer {number} out of bounds for {limits.dtype.name}")


def rounded(number: int, dtype: np.dtype[Any]) -> Any:
    """An integer that no array of integers holds, as a floating-point number."""
    with np.errstate(over="ignore"):
        return dtype.type(number)


def taken_later(number: Tracer, dtype: np.dtype[Any], compares: bool) -> Any:
    """The same for one that is not known yet."""
    if compares and dtype != np.uint64:
        return find_primitive("cast")(number, dtype=np.dtype(np.int64))
    return find_primitive("bounded_integer")(number, dtype=dtype)
