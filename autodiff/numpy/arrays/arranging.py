"""NumPy's functions that turn, shift and repeat the elements of an array."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from autodiff.numpy.arrays.memory_order import contiguous
from autodiff.numpy.arrays.outline import known, permuted
from autodiff.numpy.axes import existing_axes, negative_axes, negative_axis
from autodiff.numpy.dispatch import as_operand, implements, peeled
from autodiff.numpy.items.indexing import index
from autodiff.ops import join
from autodiff.ops import shape as sh
from autodiff.ops.creation import copy, full
from autodiff.ops.images.overlap import windows
from autodiff.ops.index import slice_of
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of

BACKWARDS = (None, None, -1)


def as_array(x: Any) -> Any:
    """An operand that is an array: Python's numbers become arrays without axes."""
    x = as_operand(x)
    return sh.reshape(x, shape=()) if spec_of(x).kind == "python" else x


@implements(np.flip)
def flip(m: Any, axis: Any = None) -> Any:
    """The elements in reverse order along all axes, or the given ones."""
    m = as_array(m)
    axes = existing_axes(axis, spec_of(m).ndim)
    first = min(axes, default=0)
    return slice_of(m, key=tuple(BACKWARDS if k in axes else join.WHOLE for k in range(first, 0)))


@implements(np.flipud)
def flipud(m: Any) -> Any:
    """The rows in reverse order."""
    _require_axes(m, 1)
    return flip(m, 0)


@implements(np.fliplr)
def fliplr(m: Any) -> Any:
    """The columns in reverse order."""
    _require_axes(m, 2)
    return flip(m, 1)


def _require_axes(m: Any, count: int) -> None:
    if spec_of(as_operand(m)).ndim < count:
        raise ValueError(f"Input must be >= {count}-d.")


@implements(np.rot90)
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """The array turned by a multiple of 90 degrees in the plane of two axes."""
    m = as_operand(m)
    ndim = spec_of(m).ndim
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = normalize_axis_tuple(axes, ndim)
    k %= 4
    if k == 0:
        return slice_of(m, key=())
    if k == 2:
        return flip(m, (first, second))
    turned = flip(m, second) if k == 1 else m
    turned = permuted(turned, np.swapaxes, first, second)
    return turned if k == 1 else flip(turned, second)


@implements(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved along axes; what leaves at the end comes in at the front."""
    a = as_array(a)
    own = spec_of(a)
    if axis is None:
        flat = sh.reshape(a, shape=(own.size,))
        by = int(np.sum(shift))  # several are made one after another
        return sh.reshape(join.roll(flat, shifts=(by,), axes=(-1,)), shape=own.shape)
    pairs = np.broadcast(shift, normalize_axis_tuple(axis, own.ndim, allow_duplicate=True))
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    moves = [(int(by), int(along) - own.ndim) for by, along in pairs]
    return join.roll(a, shifts=tuple(by for by, _ in moves), axes=tuple(along for _, along in moves))


@implements(np.tile)
def tile(A: Any, reps: Any) -> Any:
    """The array laid out side by side, ``reps`` times along each axis."""
    # Where nothing comes to lie beside itself, reshaping shares memory: then it takes a copy to be like NumPy.
    x = as_operand(A)
    times = tuple(int(count) for count in (reps if np.ndim(reps) else (reps,)))
    shape = spec_of(x).shape
    rank = max(len(times), len(shape))
    times, shape = (1,) * (rank - len(times)) + times, (1,) * (rank - len(shape)) + shape
    pairs = tuple(zip(times, shape))
    laid = sh.reshape(x, shape=tuple(k for _, length in pairs for k in (1, length)))
    laid = sh.broadcast_to(laid, shape=tuple(k for pair in pairs for k in pair))
    tiled = sh.reshape(laid, shape=tuple(count * length for count, length in pairs))
    return contiguous(tiled) if any(count > 1 and length > 1 for count, length in pairs) else copy(tiled)


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element several times along an axis, or of the flattened array."""
    a = as_operand(a)
    if axis is None:
        a, axis = sh.reshape(a, shape=(spec_of(a).size,)), 0
    ndim = spec_of(a).ndim
    axis = negative_axis(axis, ndim)
    counts = np.asarray(peeled(repeats, "np.repeat"))
    if counts.size != 1 or counts.ndim > 1:
        places = np.repeat(np.arange(spec_of(a).shape[axis]), counts)
        return index(a, (*(slice(None),) * (ndim + axis), places))
    return _repeat_evenly(a, counts, axis)


def _repeat_evenly(a: Any, counts: Any, axis: int) -> Any:
    if not np.can_cast(counts.dtype, np.intp, "safe"):
        raise TypeError(f"Cannot cast array data from {counts.dtype!r} to dtype('int64') according to the rule 'safe'")
    count, shape = int(counts.reshape(())), spec_of(a).shape
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    place = len(shape) + axis + 1
    apart = sh.reshape(a, shape=(*shape[:place], 1, *shape[place:]))
    wide = sh.broadcast_to(apart, shape=(*shape[:place], count, *shape[place:]))
    result = sh.reshape(wide, shape=(*shape[: place - 1], shape[place - 1] * count, *shape[place:]))
    return result if count > 1 and shape[place - 1] > 1 else copy(result)


@implements(np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    """The elements, repeated or cut off, in a new shape."""
    shape = (int(new_shape),) if np.ndim(new_shape) == 0 else tuple(int(length) for length in new_shape)
    if any(length < 0 for length in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    a = as_operand(a)
    size, wanted = spec_of(a).size, prod(shape)
    flat = sh.reshape(a, shape=(size,))
    if size == 0 or wanted == 0:
        return full(flat, 0, shape=shape, dtype=spec_of(a).dtype)
    whole = tile(flat, -(-wanted // size))
    cut = whole if spec_of(whole).size == wanted else join.piece(whole, -1, 0, wanted)
    return sh.reshape(cut, shape=shape)


@implements(np.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """The array without the zeros at its ends; which elements are zero must be known."""
    x = as_operand(filt)
    plain = known(x)
    if isinstance(plain, Spec):
        raise ConcretizationError(
            f"np.trim_zeros gives a shape that depends on the elements of a traced {plain!r}{at_user_line()}, of which "
            "only the shape is known; slice it with numbers"
        )
    box = _box(np.asarray(plain), trim.lower(), negative_axes(axis, plain.ndim))
    return x[tuple(slice(*part) for part in box)]


def _box(plain: Any, trim: str, axes: tuple[int, ...]) -> Any:
    """The key of the smallest box with all elements that are not zero, on the sides to be trimmed."""
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    hits = np.argwhere(plain)
    if not len(hits):
        return tuple((0, 0, None) if k in axes else join.WHOLE for k in range(-plain.ndim, 0))
    key: list[Any] = [join.WHOLE] * plain.ndim
    for k in axes:
        start, stop = int(hits[:, k].min()), int(hits[:, k].max()) + 1
        key[k] = (start if "f" in trim else None, stop if "b" in trim else None, None)
    return tuple(key)


@implements(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """All windows of a shape, as new last axes: a read-only view of ``x``."""
    x = as_array(x)
    ndim = spec_of(x).ndim
    lengths = tuple(int(length) for length in (window_shape if np.ndim(window_shape) else (window_shape,)))
    if any(length < 0 for length in lengths):
        raise ValueError("`window_shape` cannot contain negative values")
    axes = range(ndim) if axis is None else normalize_axis_tuple(axis, ndim, allow_duplicate=True)
    if len(lengths) != len(axes):
        raise ValueError(
            f"`window_shape` has {len(lengths)} lengths for {len(axes)} axes of `x`; there must be one for each"
        )
    for place, length in zip(axes, lengths):
        count = spec_of(x).shape[place] - length + 1
        if count < 1:
            raise ValueError("window shape cannot be larger than input array shape")
        apart = windows(permuted(x, np.moveaxis, place, -1), shape=(length,), stride=(1,), dilation=(1,))
        x = permuted(apart, np.moveaxis, -2, place)
    return x
