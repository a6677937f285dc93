"""``np.multiply.at(a, indices, b)`` and its like: a ufunc applied in place, as often as an index occurs.

Sums are one scattering. Any other ufunc goes in rounds: in the first every place gets its first operand, in the second
those that occur again get their second, and so on, so that each place sees its operands in their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import METHODS, UFUNCS, as_operand
from autodiff.numpy.items.assignment import as_array, fitted, point, positions, put_at, write_out
from autodiff.numpy.items.in_place import check_writable
from autodiff.ops.index import gather, scatter_add
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import Tracer


def add_at(a: Any, indices: Any, b: Any) -> None:
    """a[indices] += b, where repeated indices add up.

    Sums that are cut off at each step, as of fractions in integers, are not one sum.
    """
    b = number_or_array(a, b)
    if not is_one_sum(a, b):
        apply_at(np.add, a, indices, b)
        return
    check_writable(a)
    places = positions(a, indices)
    values = fitted(b, Spec(spec_of(places).shape, a.dtype))
    count = spec_of(places).size
    flat = reshape(values, shape=(count,)), reshape(places, shape=(count,))
    write_out(a, a + reshape(scatter_add(*flat, length=a.size, rest=0, rank=1), shape=a.shape))


def subtract_at(a: Any, indices: Any, b: Any) -> None:
    """a[indices] -= b, where repeated indices add up.

    What is subtracted gets its sign in the dtype of the array: ``-b`` of unsigned numbers is no number below zero.
    """
    b = number_or_array(a, b)
    if a.dtype.kind == "b" or not is_one_sum(a, b):
        apply_at(np.subtract, a, indices, b)
    else:
        add_at(a, indices, np.negative(fitted(b, Spec(spec_of(b).shape, a.dtype))))


def apply_at(ufunc: np.ufunc, a: Any, indices: Any, *operands: Any) -> None:
    """a[indices] = ufunc(a[indices], b), one occurrence of an index after another."""
    check_writable(a)
    places = positions(a, indices)
    shape, count = spec_of(places).shape, spec_of(places).size
    places = reshape(places, shape=(count,))
    others = [flat_operand(number_or_array(a, b), shape, count) for b in operands]
    flat = reshape(Tracer(a.primal, a.recording, a.slot), shape=(a.size,))
    for turn in rounds(places):
        here = places[turn]
        old = gather(flat, here, rest=0, chosen=False)
        new = ufunc(old, *(b[turn] if spec_of(b).shape else b for b in others))
        flat = put_at(flat, here, cast_as_stored(new, a.dtype))
    point(a, reshape(flat, shape=a.shape))


def number_or_array(a: Any, b: Any) -> Any:
    """An operand that is promoted as NumPy promotes it: Python's numbers stay what they are.

    Negative ones beside unsigned arrays are int64: ``ufunc.at`` computes with them and cuts off, other calls refuse.
    """
    if type(b) is int and b < 0 and a.dtype.kind == "u":
        return np.int64(b)
    return b if spec_of(as_operand(b)).kind == "python" else as_array(b)


def is_one_sum(a: Any, b: Any) -> bool:
    """Whether nothing is cut off when b is added to elements of a, so that all can be added at once."""
    return np.can_cast(np.result_type(a.dtype, described(b)), a.dtype, "same_kind")


def described(b: Any) -> Any:
    """What says of a number or array how it is promoted."""
    own = spec_of(b)
    return own.dtype.type(0).item() if own.kind == "python" else own.dtype


def cast_as_stored(values: Any, dtype: np.dtype[Any]) -> Any:
    """Values in the dtype of an array, as ``ufunc.at`` stores them: of whatever kind they are."""
    own = spec_of(values)
    if own.dtype.kind == "c" and dtype.kind != "c":
        values = values != 0 if dtype.kind == "b" else np.real(values)
    return values if own.dtype == dtype else values.astype(dtype)


def flat_operand(b: Any, shape: tuple[int, ...], count: int) -> Any:
    """An operand for each place; numbers stay what they are."""
    if spec_of(b).kind == "python":
        return b
    b = as_array(b)
    return reshape(b if spec_of(b).shape == shape else broadcast_to(b, shape=shape), shape=(count,))


def rounds(places: Any) -> Iterator[Any]:
    """Which of the operands come first at their place, which second, ...; one by one where places are not known."""
    if not isinstance(places, np.ndarray):
        for k in range(spec_of(places).size):
            yield slice(k, k + 1)
        return
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if places.size else order
    turn = np.empty_like(order)
    turn[order] = np.arange(places.size) - np.repeat(starts, np.diff([*starts, places.size]))
    for number in range(int(turn.max(initial=-1)) + 1):
        yield np.flatnonzero(turn == number)


def register() -> None:
    """Enter the method of every ufunc of one or two operands that has a derivative rule."""
    for ufunc in list(UFUNCS):
        if ufunc.nout == 1 and ufunc.nin <= 2:
            METHODS.setdefault((ufunc, "at"), partial(apply_at, ufunc))


METHODS[np.add, "at"] = add_at
METHODS[np.subtract, "at"] = subtract_at
register()
