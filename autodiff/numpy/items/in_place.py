"""NumPy's functions that write to an array that they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, implements
from autodiff.numpy.items.assignment import as_array, fitted, point, positions, put_at, write_out
from autodiff.numpy.items.keys import as_index
from autodiff.ops import elementwise as ew
from autodiff.ops.shape import reshape
from autodiff.trace.errors import ConcretizationError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import index_module


@implements(np.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write ``src`` into ``dst``, where the mask is true."""
    if where is True and not isinstance(dst, Tracer):
        write_out(dst, src)
        return
    value = fitted(src, spec_of(dst))
    write_out(dst, value if where is True else ew.where(as_operand(where), value, dst))


@implements(np.put)
def put_flat(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write values into places of the flattened array; they are repeated as often as needed."""
    check_writable(a)
    ind = as_index(ind).ravel()
    if mode == "wrap":
        ind = ind % a.size
    elif mode == "clip":
        ind = ind.clip(0, a.size - 1)
    elif mode != "raise":
        raise ValueError(f"np.put has no mode {mode!r}{at_user_line()}; the modes are 'raise', 'wrap' and 'clip'")
    places = positions(reshape(a, shape=(a.size,)), ind)
    v = as_array(v)
    values = FUNCTIONS[np.resize](v, (places.size,)) if spec_of(v).size else v
    point(a, put_at(Tracer(a.primal, a.recording, a.slot), places, values))


@implements(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Write values along one axis, with an index for every line."""
    check_writable(arr)
    places = FUNCTIONS[np.take_along_axis](index_module(arr).arange(arr.size).reshape(arr.shape), indices, axis)
    point(arr, put_at(Tracer(arr.primal, arr.recording, arr.slot), places, values))


@implements(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write values, one after another, where the mask is true."""
    check_writable(arr)
    put_flat(arr, np.flatnonzero(mask), vals)


@implements(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> None:
    """Write the values that stand at the places where the mask is true."""
    check_writable(a)
    mask = as_array(mask)
    its = spec_of(mask)
    if its.size != spec_of(a).size:
        raise ValueError(f"putmask needs a mask as large as the array, got {its!r} for {spec_of(a)!r}{at_user_line()}")
    if its.dtype.kind != "b":
        mask = ew.not_equal(mask, 0)
    mask = mask if its.shape == a.shape else FUNCTIONS[np.reshape](mask, a.shape)
    values = as_array(values)
    full = values if spec_of(values).shape == a.shape else FUNCTIONS[np.resize](values, a.shape)
    write_out(a, ew.where(mask, fitted(full, spec_of(a)), a))


@implements(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write values on the main diagonal."""
    check_writable(a)
    plain = np.zeros(a.shape, bool)
    np.fill_diagonal(plain, True, wrap)
    put_flat(a, np.flatnonzero(plain), val)


def check_writable(array: Any) -> None:
    """Refuse to write traced values into a plain array."""
    if not isinstance(array, Tracer):
        raise ConcretizationError(
            f"a traced value would be written into a plain array{at_user_line()} and its derivative would be lost; "
            f"make the array with np.zeros_like(x) of a traced x (got {described(array)})"
        )
