"""Writing to traced arrays as NumPy writes: ``x[i] = v``, ``x += v``, ``out=x``.

The tape never changes. A write computes a new array, and the handle, the Python object that the user holds, is
pointed to it. A view passes a write on to the array that it shows; other views derive themselves again when they are
read. The array that the caller passed in is never changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, METHODS, WRITING, as_operand, implements
from autodiff.numpy.indexing import ParsedKey, as_index, index, index_by, plain_basic, rows_of
from autodiff.ops import elementwise as ew
from autodiff.ops.index import put, scatter_add, slice_of, slice_set
from autodiff.ops.operators import BINARY
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.arrays import module_of, placed
from autodiff.trace.errors import AliasingError, ConcretizationError, OperandError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, broadcast_shapes, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.view import READ_ONLY, SHARED, UNKNOWN, View


def get_item(self: Tracer, key: Any) -> Any:
    """x[key]; a basic key gives a view."""
    if type(key) is np.ndarray and key.dtype.kind in "iu":
        return rows_of(self, key)
    shape = self.shape
    basic = plain_basic(key, shape)
    if basic is None:
        parsed = ParsedKey(key, shape)
        if parsed.arrays:
            return index_by(self, parsed)
        basic = parsed.basic
    out = slice_of(self, key=basic)
    if type(out) is not Tracer or out.spec.kind != "array":
        return out
    return View(out, self, lambda base: slice_of(base, key=basic), basic, SHARED)


def set_item(self: Tracer, key: Any, value: Any) -> None:
    """x[key] = value."""
    parsed = None if is_traced_mask(key) else ParsedKey(key, self.shape)
    if parsed is not None and not parsed.arrays:
        if type(value) is View and value.base is self and value.key == parsed.basic:
            return  # x[key] += v has written through the view already
        target = index(self, key)
        new = slice_set(self, fitted(value, spec_of(target)), key=parsed.basic)
    elif parsed is None:
        new = where_masked(self, key, value)
    else:
        new = put_at(self, positions(self, key), value)
    point(self, new)


def is_traced_mask(key: Any) -> bool:
    """Whether a key is a mask on a tape, where the number of places is not part of what is recorded."""
    return isinstance(key, Tracer) and key.dtype.kind == "b"


def where_masked(x: Tracer, mask: Tracer, value: Any) -> Any:
    """The array with a value where a mask is true that is part of a tape."""
    if mask.shape != x.shape[: mask.ndim]:
        raise IndexError(f"a boolean index of shape {mask.shape} into an array of shape {x.shape}{at_user_line()}")
    rest = x.shape[mask.ndim :]
    shape = spec_of(as_array(value)).shape
    if not broadcasts(shape, rest):
        raise ConcretizationError(
            f"values of shape {shape} are assigned where a traced mask is true{at_user_line()}, and how many places "
            "that are is no part of a tape; assign one number, or select with np.where"
        )
    return ew.where(reshape(mask, shape=(*mask.shape, *(1,) * len(rest))), fitted(value, Spec(rest, x.dtype)), x)


def positions(x: Any, key: Any) -> Any:
    """The places of x[key] in the flattened array."""
    shape = spec_of(x).shape
    return index(module_of(x).arange(spec_of(x).size).reshape(shape), key)


def put_at(x: Any, places: Any, value: Any) -> Any:
    """The array with values in some places of the flattened array."""
    its = spec_of(x)
    value = fitted(value, Spec(spec_of(places).shape, its.dtype))
    row = (spec_of(places).size,)
    places = reshape(placed(places, x), shape=row)
    return reshape(put(reshape(x, shape=(its.size,)), places, reshape(value, shape=row)), shape=its.shape)


def fitted(value: Any, slot: Spec) -> Any:
    """A value broadcast to the shape, and converted to the dtype, of what it is assigned to."""
    value = as_array(value)
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
        AliasingError: if whether the handle shares memory is not known.
    """
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
        whole = tuple((None, None, None) for _ in value.shape)
        new = slice_set(Tracer(handle.value, handle.recording, handle.slot), new, key=whole)
    handle.value = new.value
    handle.slot = new.slot


def newer_purpose(new: Any) -> str:
    """What the recording of a value is for, as error texts say it."""
    return str(new.recording.purpose) if isinstance(new, Tracer) else "a Variable's graph"


def pass_on(view: View, new: Tracer) -> None:
    """Write what was written to a view into its base."""
    if view.sharing == READ_ONLY:
        raise ValueError(
            f"assignment destination is read-only{at_user_line()}: it shows part of another array, as np.broadcast_to, "
            "np.diagonal and the parts of complex arrays do; assign to that array"
        )
    if view.sharing == UNKNOWN:
        raise AliasingError(
            f"a write to a reshaped array{at_user_line()}: whether NumPy would have copied is not known here. Copy it "
            "before, or write to the array that it was made from."
        )
    base = view.base
    now = Tracer(base.value, base.recording, base.slot)
    if type(view.key) is tuple:  # a basic key, which says where to write
        point(base, slice_set(now, new, key=view.key))
        return
    plain = module_of(base).arange(base.size).reshape(base.shape)
    point(base, put_at(now, view.function(plain), new))


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
                "leave out= away, or make the array with np.zeros_like(x) of a traced x."
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
    whole = tuple((None, None, None) for _ in slot.shape)
    point(out, slice_set(Tracer(out.value, out.recording, out.slot), fitted(result, slot), key=whole))
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


def viewing(function: Callable[..., Any], sharing: Callable[[Any, tuple[Any, ...], dict[str, Any]], str | None]) -> Any:
    """A function of NumPy's that returns views, on traced arrays as well.

    Args:
        function: the function; its first argument is the array.
        sharing: says what a result shares: None for a copy.
    """

    @wraps(function)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        out = function(x, *args, **kwargs)
        if not isinstance(x, Tracer) or out is x:
            return out
        how = sharing(x, args, kwargs)
        if how is None:
            return out

        def view(part: Any, place: int | None) -> Any:
            if type(part) is not Tracer or part.spec.kind != "array":
                return part

            def again(base: Any) -> Any:
                whole = function(base, *args, **kwargs)
                return whole if place is None else whole[place]

            return View(part, x, again, object(), how)

        if isinstance(out, (list, tuple)):
            return type(out)(view(part, place) for place, part in enumerate(out))
        return view(out, None)

    return call


def always(x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Functions that always return views."""
    return SHARED


def read_only(x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Functions that return views to which NumPy forbids writing."""
    return READ_ONLY


def if_contiguous(x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What reshaping shares: memory in C order is shared, anything else may have been copied."""
    value = concrete(x)
    in_c_order = kwargs.get("order", "C") == "C" and not any(isinstance(arg, str) for arg in args)
    return SHARED if in_c_order and isinstance(value, np.ndarray) and value.flags.c_contiguous else UNKNOWN


def of_matrix(x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """What np.diag shares: it shows the diagonal of a matrix, but copies a vector into a new matrix."""
    return READ_ONLY if x.ndim == 2 else None


def of_complex(x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The parts of complex arrays; writing to them is not supported."""
    return READ_ONLY if x.dtype.kind == "c" else None


SHARING = {
    always: (
        np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.flip,
        np.fliplr, np.flipud, np.rot90, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.split, np.array_split,
        np.hsplit, np.vsplit, np.dsplit,
    ),
    read_only: (np.broadcast_to, np.diagonal, np.lib.stride_tricks.sliding_window_view),
    of_matrix: (np.diag,),
    of_complex: (np.real, np.imag),
    if_contiguous: (np.reshape, np.ravel),
}  # fmt: skip


def install_views() -> None:
    """Let the functions that return views do so for traced arrays."""
    for newer in ("unstack", "matrix_transpose", "permute_dims"):  # in NumPy 2.0 or 2.1 and later
        if hasattr(np, newer):
            SHARING[always] = (*SHARING[always], getattr(np, newer))
    for sharing, functions in SHARING.items():
        for function in functions:
            if function in FUNCTIONS:
                FUNCTIONS[function] = viewing(FUNCTIONS[function], sharing)


@implements(np.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write ``src`` into ``dst``, where the mask is true."""
    if not isinstance(dst, Tracer):
        write_out(dst, src)
        return
    value = fitted(src, spec_of(dst))
    write_out(dst, value if where is True else ew.where(where, value, dst))


@implements(np.put)
def put_flat(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write values into places of the flattened array; they are repeated as often as needed."""
    check_writable(a, v)
    if mode != "raise":
        raise TypeError(f"np.put with mode={mode!r} is not supported for traced values{at_user_line()}; use 'raise'")
    places = positions(reshape(a, shape=(a.size,)), as_index(ind).ravel())
    v = as_array(v)
    values = FUNCTIONS[np.resize](v, (places.size,)) if spec_of(v).size else v
    point(a, put_at(Tracer(a.value, a.recording, a.slot), places, values))


def as_array(v: Any) -> Any:
    """Numbers and lists as arrays."""
    return as_index(as_operand(v))


@implements(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Write values along one axis, with an index for every line."""
    check_writable(arr, values)
    places = FUNCTIONS[np.take_along_axis](module_of(arr).arange(arr.size).reshape(arr.shape), indices, axis)
    point(arr, put_at(Tracer(arr.value, arr.recording, arr.slot), places, values))


@implements(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write values, one after another, where the mask is true."""
    check_writable(arr, vals)
    put_flat(arr, np.flatnonzero(mask), vals)


@implements(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> None:
    """Write the values that stand at the places where the mask is true."""
    check_writable(a, values)
    values = as_array(values)
    full = values if spec_of(values).shape == a.shape else FUNCTIONS[np.resize](values, a.shape)
    write_out(a, ew.where(mask, fitted(full, spec_of(a)), a))


@implements(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write values on the main diagonal."""
    check_writable(a, val)
    plain = np.zeros(a.shape, bool)
    np.fill_diagonal(plain, True, wrap)
    put_flat(a, np.flatnonzero(plain), val)


def add_at(a: Any, indices: Any, b: Any) -> None:
    """a[indices] += b, where repeated indices add up."""
    check_writable(a, b)
    places = positions(a, indices)
    values = fitted(b, Spec(spec_of(places).shape, a.dtype))
    from_zero = put_sum(places, values, a.size)
    write_out(a, a + reshape(from_zero, shape=a.shape))


def put_sum(places: Any, values: Any, size: int) -> Any:
    """Zeros, to which values are added in some places."""
    count = spec_of(places).size
    return scatter_add(reshape(values, shape=(count,)), reshape(places, shape=(count,)), length=size, rest=0, rank=1)


METHODS[np.add, "at"] = add_at
METHODS[np.subtract, "at"] = lambda a, indices, b: add_at(a, indices, -b)


def check_writable(array: Any, value: Any) -> None:
    """Refuse to write traced values into a plain array."""
    if not isinstance(array, Tracer):
        raise ConcretizationError(
            f"a traced value would be written into a plain array{at_user_line()} and its derivative would be lost; "
            f"make the array with np.zeros_like(x) of a traced x (got {described(array)})"
        )


def install() -> None:
    """Give traced arrays item access and in-place operators."""
    for method, function in (("__getitem__", get_item), ("__setitem__", set_item)):
        setattr(Tracer, method, function)
    for name in (*BINARY, "matmul"):
        setattr(Tracer, f"__i{name}__", in_place(name))


install()
