"""Writing to traced arrays as NumPy writes: ``x[i] = v``, ``x += v``, ``out=x``.

The tape never changes. A write computes a new array, and the handle, the Python object that the user holds, is
pointed to it. A view passes a write on to the array that it shows; other views derive themselves again when they are
read. The array that the caller passed in is never changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import WRITING, as_operand
from autodiff.numpy.items.indexing import index, index_by, pick_by_mask, rows_of
from autodiff.numpy.items.keys import ParsedKey, as_index, plain_basic
from autodiff.numpy.items.picked import Picked, is_same, split
from autodiff.ops import elementwise as ew
from autodiff.ops.index import put, slice_of, slice_set
from autodiff.ops.operators import BINARY
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.errors import AliasingError, ConcretizationError, OperandError
from autodiff.trace.failures.concretization import switch_remedy
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, broadcast_shapes, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.values.arrays import index_module, placed
from autodiff.trace.values.layout import alike, has_overlap
from autodiff.trace.values.leaves import as_leaf
from autodiff.trace.values.weak_numbers import held
from autodiff.trace.view import IMAG, READ_ONLY, REAL, SHARED, UNKNOWN, View


def get_item(self: Tracer, key: Any) -> Any:
    """x[key]; a basic key gives a view."""
    if type(key) is np.ndarray and key.dtype.kind in "iu":
        return rows_of(self, key)
    shape = self.shape
    basic = plain_basic(key, shape)
    if basic is None:
        picked = pick_by_mask(self, key)
        if picked is not None:
            return picked
        parsed = ParsedKey(key, shape)
        if parsed.arrays:
            return index_by(self, parsed)
        basic = parsed.basic
    out = slice_of(self, key=basic)
    if type(out) is not Tracer or out.spec.kind != "array":
        return out
    return View(out, self, lambda base: slice_of(base, key=basic), basic, SHARED)


def set_item(self: Tracer, key: Any, value: Any) -> None:
    """x[key] = value.

    Raises:
        TypeError: if x is a number, which NumPy cannot write into either.
    """
    if self.spec.kind != "array":
        raise TypeError(
            f"a traced number, {self.dtype} without axes, does not support item assignment{at_user_line()}: NumPy's "
            "scalars do not either; write into an array, such as np.asarray(x), or give it a new name"
        )
    masked = split(key)
    if masked is not None:
        mask, key = masked
        value = where_masked(index(self, key), mask, value)
    parsed = ParsedKey(key, self.shape)
    if not parsed.arrays:
        if type(value) is View and value.base is self and value.key == parsed.basic:
            return  # x[key] += v has written through the view already
        target = index(self, key)
        new = slice_set(self, fitted(value, spec_of(target)), key=parsed.basic)
    else:
        new = put_at(self, positions(self, key), value)
    point(self, new)


def where_masked(x: Tracer, mask: Tracer, value: Any) -> Any:
    """The array with a value where a mask is true that is part of a tape."""
    if mask.shape != x.shape[: mask.ndim]:
        raise IndexError(f"a boolean index of shape {mask.shape} into an array of shape {x.shape}{at_user_line()}")
    rest = x.shape[mask.ndim :]
    at = reshape(mask, shape=(*mask.shape, *(1,) * len(rest)))
    if isinstance(value, Picked):
        if not is_same(mask, value.mask) or value.rest() > len(rest):
            value.refuse()
        return ew.where(at, fitted(value.whole, spec_of(x)), x)
    shape = spec_of(as_array(value)).shape
    if not broadcasts(shape[1:] if len(shape) == len(rest) + 1 and shape[0] == 1 else shape, rest):
        raise ConcretizationError(
            f"values of shape {shape} are assigned where a traced mask is true{at_user_line()}, and how many places "
            "that are is no part of a tape; assign one number, or select with np.where"
        )
    return ew.where(at, fitted(value, Spec(rest, x.dtype)), x)


def positions(x: Any, key: Any) -> Any:
    """The places of x[key] in the flattened array."""
    shape = spec_of(x).shape
    return index(index_module(x).arange(spec_of(x).size).reshape(shape), key)


def put_at(x: Any, places: Any, value: Any) -> Any:
    """The array with values in some places of the flattened array."""
    its = spec_of(x)
    value = fitted(value, Spec(spec_of(places).shape, its.dtype))
    row = (spec_of(places).size,)
    places = reshape(placed(places, x), shape=row)
    return reshape(put(reshape(x, shape=(its.size,)), places, reshape(value, shape=row)), shape=its.shape)


def fitted(value: Any, slot: Spec) -> Any:
    """A value broadcast to the shape, and converted to the dtype, of what it is assigned to."""
    value = as_array(bool(value) if type(value) is int and slot.dtype.kind == "b" else held(value, slot.dtype))
    its = spec_of(value)
    if its.dtype.kind == "c" and slot.dtype.kind != "c":
        raise TypeError(
            f"a complex value cannot be assigned into {slot.dtype.name}{at_user_line()}; take its real part"
        )
    if its.dtype != slot.dtype:
        value = ew.cast(value, dtype=slot.dtype)
    if its.shape == slot.shape:
        return value
    shape = its.shape
    while len(shape) > len(slot.shape) and shape[0] == 1:
        shape = shape[1:]
    if not broadcasts(shape, slot.shape):
        raise OperandError(
            f"could not broadcast input array from shape {its.shape} into shape {slot.shape}{at_user_line()}"
        )
    return broadcast_to(reshape(value, shape=shape) if shape != its.shape else value, shape=slot.shape)


def as_array(v: Any) -> Any:
    """What is assigned, as NumPy takes it: numbers, lists, and objects of other libraries as arrays."""
    value = as_operand(v)
    if type(value) is np.ndarray and value.dtype.kind != "O":
        return value
    return as_leaf(value if isinstance(value, np.ndarray) else as_index(value))


def broadcasts(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether an array of one shape can be repeated to another shape."""
    try:
        return broadcast_shapes(shape, whole) == whole
    except ValueError:
        return False


def point(handle: Tracer, new: Any) -> None:
    """Point a handle, and the arrays whose memory it shows, to a new value of the same shape and dtype.

    Raises:
        OperandError: if the new value belongs to a newer recording than the handle.
        AliasingError: if whether the handle shares memory is not known, or its elements share it.
    """
    if not isinstance(new, Traced) or new.level < handle.level:
        new = handle.recording.lift(new)  # nothing of it moves in forward mode
    if not isinstance(new, Tracer) or new.recording is not handle.recording:
        raise OperandError(
            f"a value traced by {newer_purpose(new)} is written into an array from outside of it{at_user_line()}; make "
            "the array inside, with np.zeros_like, and return it"
        )
    if type(handle) is View:
        pass_on(handle, new)  # the view derives itself from its base again when it is read
        return
    value = concrete(handle)
    if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
        check_no_overlap(value)
        if concrete(new).strides != value.strides:
            new = slice_set(Tracer(handle.primal, handle.recording, handle.slot), new, key=whole_of(value.shape))
    handle.primal = new.primal
    handle.slot = new.slot


def check_no_overlap(array: np.ndarray[Any, Any]) -> None:
    """Refuse to write where one piece of memory holds several elements: NumPy changes all of them.

    Raises:
        AliasingError: naming the remedy.
    """
    if has_overlap(array):
        raise AliasingError(
            f"a write to {spec_of(array)!r}{at_user_line()}, several elements of which are one and the same piece of "
            "memory, as np.broadcast_to makes them; copy it before"
        )


def whole_of(shape: tuple[int, ...]) -> Any:
    """The key of all elements."""
    return tuple((None, None, None) for _ in shape)


def newer_purpose(new: Any) -> str:
    """What the recording of a value is for, as error texts say it."""
    return str(new.recording.purpose) if isinstance(new, Tracer) else "a Variable's graph"


def pass_on(view: View, new: Tracer) -> None:
    """Write what was written to a view into its base."""
    if view.sharing == READ_ONLY:
        raise ValueError(
            f"assignment destination is read-only{at_user_line()}: it shows part of another array, as np.broadcast_to "
            "and np.diagonal do; assign to that array"
        )
    if view.sharing == UNKNOWN:
        if view.is_read_only():
            raise AliasingError(
                f"a write to an array that was reshaped from a read-only one{at_user_line()}: whether NumPy would have "
                "copied is not known here; copy it before"
            )
        view.detach(new)
        return
    base = view.base
    now = Tracer(base.primal, base.recording, base.slot)
    if type(view.key) is tuple:  # a basic key, which says where to write
        point(base, slice_set(now, new, key=view.key))
        return
    if view.key in (REAL, IMAG):
        parts = (new, ew.imag(now)) if view.key == REAL else (ew.real(now), new)
        point(base, ew.from_parts(*parts))
        return
    point(base, put_at(now, view.function(numbered(base)), new))


def numbered(x: Tracer) -> Any:
    """The places of the elements in the flattened array, laid out in memory as the array is."""
    places = index_module(x).arange(x.size).reshape(x.shape)
    value = concrete(x)
    if not isinstance(value, np.ndarray) or value.flags.c_contiguous:
        return places
    out = alike(value, places.dtype)
    out[...] = places
    return out


def write_out(out: Any, result: Any) -> Any:
    """Write a result into the array given as ``out=``, and return that.

    Raises:
        ConcretizationError: if the array is plain and the result is traced: its derivative would be lost.
    """
    if not isinstance(out, Tracer):
        if isinstance(result, Traced):
            raise ConcretizationError(
                f"a traced {spec_of(result)!r} would be written into a plain array{at_user_line()}, by out=, +=, "
                "np.copyto or np.full_like, and its derivative would be lost. Write a = a + x in place of a += x, "
                f"leave out= away, or make the array with np.zeros_like(x) of a traced x. {switch_remedy()}".rstrip()
            )
        out[...] = result
        return out
    its, slot = spec_of(result), spec_of(out)
    if its.shape != slot.shape and not broadcasts(its.shape, slot.shape):
        raise OperandError(
            f"non-broadcastable output operand with shape {slot.shape} doesn't match the broadcast shape {its.shape}"
            f"{at_user_line()}"
        )
    if not np.can_cast(its.dtype, slot.dtype, "same_kind"):
        raise TypeError(f"cannot cast output from {its.dtype.name} to {slot.dtype.name}{at_user_line()}")
    now = Tracer(out.primal, out.recording, out.slot)
    point(out, slice_set(now, fitted(result, slot), key=whole_of(slot.shape)))
    return out


WRITING["out"] = write_out


def in_place(name: str) -> Callable[[Tracer, Any], Any]:
    """``x += v`` and the like: arrays are written to, numbers are bound again."""

    def operate(self: Tracer, other: Any) -> Any:
        result = getattr(self, f"__{name}__")(other)
        if result is NotImplemented or self.spec.kind != "array":
            return result
        return write_out(self, result)

    return operate


def install() -> None:
    """Give traced arrays item access and in-place operators."""
    for method, function in (("__getitem__", get_item), ("__setitem__", set_item)):
        setattr(Tracer, method, function)
    for name in (*BINARY, "matmul"):
        setattr(Tracer, f"__i{name}__", in_place(name))


install()
