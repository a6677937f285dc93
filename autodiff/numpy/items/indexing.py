"""Indexing as NumPy writes it, brought to slices and gathers."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import as_operand, constant, implements, write_whole
from autodiff.numpy.items.keys import WHOLE, ParsedKey, as_index, plain_basic, within
from autodiff.numpy.items.picked import Picked, split
from autodiff.ops import elementwise as ew
from autodiff.ops.index import gather, slice_of
from autodiff.ops.join import roll
from autodiff.ops.shape import reshape, transpose
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, broadcast_shapes, spec_of
from autodiff.trace.tracer import concrete
from autodiff.trace.values.arrays import index_module, placed


def index(x: Any, key: Any) -> Any:
    """x[key], for every key that NumPy takes."""
    if type(key) is np.ndarray and key.dtype.kind in "iu":
        return rows_of(x, key)
    shape = x.shape
    basic = plain_basic(key, shape)
    if basic is not None:
        return slice_of(x, key=basic)
    picked = pick_by_mask(x, key)
    return index_by(x, ParsedKey(key, shape)) if picked is None else picked


def pick_by_mask(x: Any, key: Any) -> Picked | None:
    """x[mask] of a traced mask; None for other keys."""
    found = split(key)
    if found is None or found[0].shape != spec_of(x).shape[: found[0].ndim]:
        return None
    return Picked(index(x, found[1]), found[0])


def rows_of(x: Any, key: Any) -> Any:
    """x[key] for one array of integers, the advanced index that is used most."""
    shape = x.shape
    if not shape:
        return index_by(x, ParsedKey(key, shape))
    rows = within(key.astype(np.intp), shape[0], 0)
    if not nonnegative(rows):
        rows = np.where(rows < 0, rows + shape[0], rows)
    shift = rotation(x, rows, shape[0])
    if shift is not None:
        return roll(x, shifts=(-shift,), axes=(-len(shape),))
    return gather(x, placed(rows, x), rest=len(shape) - 1, chosen=False)


def rotation(x: Any, rows: Any, length: int) -> int | None:
    """By how many places an index turns an axis round, as that of a neighbour in a ring does; None if it does not.

    Programs move elements in whole pieces then. Where values are known a gather is as good.
    """
    if type(rows) is not np.ndarray or rows.shape != (length,) or length < 2 or type(concrete(x)) is not Spec:
        return None
    shift = int(rows[0]) % length
    turned = np.concatenate([np.arange(shift, length), np.arange(shift)])
    return shift if np.array_equal(rows % length, turned) else None


def index_by(x: Any, parsed: ParsedKey) -> Any:
    """x[key] for a key that was taken apart."""
    if not parsed.arrays:
        return slice_of(x, key=parsed.basic)
    if any(part != WHOLE for part in parsed.basic):
        x = slice_of(x, key=parsed.basic)
    return pick(x, parsed)


def pick(x: Any, parsed: ParsedKey) -> Any:
    """The advanced part of indexing: move the axes to the front, make them one, gather, move back."""
    axes = parsed.axes
    ndim = spec_of(x).ndim
    others = [k for k in range(ndim) if k not in axes]
    if axes != list(range(len(axes))):
        x = transpose(x, axes=tuple(k - ndim for k in (*axes, *others)))
    shape = spec_of(x).shape
    shift = rotation(x, parsed.arrays[0], shape[0]) if len(axes) == 1 else None
    if shift is not None:
        return transpose_back(roll(x, shifts=(-shift,), axes=(-ndim,)), parsed, 1)
    i = flat_index([placed(array, x) for array in parsed.arrays], shape[: len(axes)])
    if len(axes) > 1:
        length = 1
        for k in shape[: len(axes)]:
            length *= k
        x = reshape(x, shape=(length, *shape[len(axes) :]))
    out = gather(x, i, rest=len(others), chosen=parsed.chosen)
    if parsed.dotted and spec_of(out).kind == "scalar":
        return slice_of(out, key=(Ellipsis,))
    return transpose_back(out, parsed, spec_of(i).ndim)


def transpose_back(out: Any, parsed: ParsedKey, rank: int) -> Any:
    """What was picked, whose first axes are those of the index, with these where NumPy puts them."""
    first, others = parsed.axes[0] if parsed.adjacent else 0, spec_of(out).ndim - rank
    if first == 0 or not others:
        return out
    order = [*range(rank, rank + first), *range(rank), *range(rank + first, rank + others)]
    return transpose(out, axes=tuple(k - len(order) for k in order))


def flat_index(arrays: list[Any], lengths: tuple[int, ...]) -> Any:
    """One integer array in place of several: positions in C order."""
    its = [spec_of(array).shape for array in arrays]
    try:
        if any(shape != its[0] for shape in its):
            broadcast_shapes(*its)
    except ValueError:
        shapes = " ".join(map(str, its))
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}{at_user_line()}"
        ) from None
    flat = None
    for array, length in zip(arrays, lengths, strict=True):
        wrapped = array if nonnegative(array) else counted_from_start(array, length, prod(lengths))
        flat = wrapped if flat is None else flat * length + wrapped
    return np.asarray(flat) if isinstance(flat, np.generic) else flat  # by a number NumPy would show memory, not copy


def counted_from_start(array: Any, length: int, beyond: int) -> Any:
    """Indices of one axis without negative ones.

    Where values are not known yet, an index that is out of range becomes ``beyond``, which is out of range for all axes
    together: it must not become the place of another element.
    """
    wrapped = ew.where(ew.less(array, 0), array + length, array)
    if not isinstance(concrete(array), Spec):
        return wrapped
    outside = ew.less(wrapped, 0) if beyond == length else ew.less(wrapped, 0) | ew.greater_equal(wrapped, length)
    return ew.where(outside, beyond, wrapped)


def nonnegative(index: Any) -> bool:
    """Whether it is known that no index counts from the end."""
    return type(index) is np.ndarray and (not index.size or bool(index.min() >= 0))


@implements(np.take)
def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    """Elements picked along an axis, or from the flattened array."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"np.take has no mode {mode!r}{at_user_line()}; the modes are 'raise', 'wrap' and 'clip'")
    a = as_operand(a)
    if axis is None or not spec_of(a).ndim:
        a, axis = reshape(a, shape=(spec_of(a).size,)), 0 if axis is None else axis
    axis = negative_axis(operator.index(axis), spec_of(a).ndim) + spec_of(a).ndim
    length = spec_of(a).shape[axis]
    indices = as_index(indices)
    its = spec_of(indices).dtype
    if its.kind == "b" or (its.kind in "iu" and its != np.intp):  # here truth values are the numbers 0 and 1
        indices = ew.cast(indices, dtype=np.dtype(np.intp))  # which the length of an axis fits, too
    if mode == "wrap":
        indices = ew.remainder(indices, length)
    elif mode == "clip":
        indices = ew.clip(indices, 0, length - 1)
    taken = index(a, (*(slice(None),) * axis, indices))
    return taken if out is None else write_whole(out, taken)


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """Elements picked along one axis, with an index for every line."""
    if axis is None:
        arr, axis = reshape(arr, shape=(spec_of(arr).size,)), 0
    shape = spec_of(arr).shape
    axis = negative_axis(axis, len(shape)) + len(shape)
    its = spec_of(indices).shape
    if len(its) != len(shape):
        raise ValueError(f"`indices` and `arr` must have the same number of dimensions{at_user_line()}")
    lines = [
        index_module(arr, indices).arange(length).reshape((*(1,) * k, length, *(1,) * (len(shape) - k - 1)))
        for k, length in enumerate(shape)
    ]
    return index(arr, tuple(indices if k == axis else line for k, line in enumerate(lines)))


constant(np.nonzero, np.argwhere, np.flatnonzero, np.ravel_multi_index, np.unravel_index)
