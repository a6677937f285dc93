"""Indexing as NumPy writes it, brought to slices and gathers."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import constant, implements, write_outs
from autodiff.ops import elementwise as ew
from autodiff.ops.index import Key, gather, slice_of
from autodiff.ops.shape import reshape, transpose
from autodiff.trace.arrays import module_of, on_gpu, placed
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, broadcast_shapes, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete

WHOLE = (None, None, None)
"""The slice that takes an axis as it is."""


class ParsedKey:
    """A key of ``x[key]`` for an array of some shape.

    Attributes:
        basic: the key with full slices at the axes that arrays index.
        arrays: the integer arrays, one for each such axis, in order.
        axes: the positions of these axes after the basic part was applied.
        adjacent: whether NumPy leaves the picked axes in their place.
        chosen: whether a boolean mask did the choosing.
        dotted: whether there is an Ellipsis: x[..., i] is an array where x[i] is a number.
    """

    __slots__ = ("adjacent", "arrays", "axes", "basic", "chosen", "dotted")

    def __init__(self, key: Any, shape: tuple[int, ...]) -> None:
        parts = expanded(key if isinstance(key, tuple) else (key,), shape)
        with_arrays = any(is_array(part) for part in parts)
        basic: list[Any] = []
        self.arrays: list[Any] = []
        self.axes: list[int] = []
        self.chosen = False
        self.dotted = isinstance(key, tuple) and any(part is Ellipsis for part in key)
        places: list[int] = []
        axis = after = 0
        for place, part in enumerate(parts):
            if part is None:
                basic.append(None)
                after += 1
            elif part is Ellipsis:
                basic.append(part)
            elif isinstance(part, slice):
                basic.append(triple(part))
                axis, after = axis + 1, after + 1
            elif is_truth(part):  # a new axis, of which the one element is taken or not
                basic.append(None)
                self.arrays.append(np.zeros(int(bool(part)), np.intp))
                self.axes.append(after)
                places.append(place)
                after += 1
            elif with_arrays:
                for index in self.as_integers(part, shape, axis):
                    basic.append(WHOLE)
                    self.arrays.append(index)
                    self.axes.append(after)
                    places.append(place)
                    axis, after = axis + 1, after + 1
            else:
                basic.append(bounded(whole(part), shape[axis], axis))
                axis += 1
        self.basic: Key = tuple(basic)
        self.adjacent = not places or set(range(places[0], places[-1] + 1)) == set(places)

    def as_integers(self, part: Any, shape: tuple[int, ...], axis: int) -> list[Any]:
        """Integer arrays for one part of the key; a mask gives one for each of its axes."""
        part = as_index(part)
        if spec_of(part).dtype.kind != "b":
            if spec_of(part).dtype.kind not in "iu" and spec_of(part).size:
                raise IndexError(
                    f"arrays used as indices must be of integer (or boolean) type, got {spec_of(part)!r}"
                    f"{at_user_line()}"
                )
            return [within(part if isinstance(part, Traced) else part.astype(np.intp), shape[axis], axis)]
        mask = concrete(part)
        if type(mask) is Spec or isinstance(part, Traced):
            raise ConcretizationError(
                f"a boolean mask that is traced picks an unknown number of elements{at_user_line()}; use "
                "np.where(mask, x, 0), or x[mask] = number, whose shapes are known"
            )
        covered = shape[axis : axis + mask.ndim]
        if mask.shape != covered:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axes is {covered} but size of "
                f"corresponding boolean axes is {mask.shape}{at_user_line()}"
            )
        self.chosen = True
        return list(mask.nonzero())


def is_array(part: Any) -> bool:
    """Whether a part of a key makes indexing advanced."""
    return isinstance(part, (np.ndarray, list, bool, np.bool_, Traced)) or on_gpu(part)


def is_truth(part: Any) -> bool:
    """Whether a part of a key is a single truth value, which is a mask without axes."""
    return isinstance(part, (bool, np.bool_)) or (isinstance(part, np.ndarray) and part.dtype == bool and not part.ndim)


def as_index(part: Any) -> Any:
    """Integers or a mask as an array."""
    return part if isinstance(part, Traced) or on_gpu(part) else np.asarray(part)


def expanded(key: tuple[Any, ...], shape: tuple[int, ...]) -> list[Any]:
    """The key with the Ellipsis written out, and full slices for the axes that it does not mention."""
    taken = sum(axes_of(part) for part in key)
    if taken > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {taken} were indexed{at_user_line()}"
        )
    missing = [slice(None)] * (len(shape) - taken)
    dots = [k for k, part in enumerate(key) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError(f"an index can only have a single ellipsis ('...'){at_user_line()}")
    if not dots:
        return [*key, *missing]
    only_basic = not any(is_array(part) for part in key)
    return [*key[: dots[0]], *missing, *key[dots[0] + 1 :], *([Ellipsis] if only_basic else [])]


def axes_of(part: Any) -> int:
    """How many axes one part of a key takes."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, (bool, np.bool_)):
        return 0
    if (isinstance(part, (np.ndarray, Traced)) or on_gpu(part)) and part.dtype.kind == "b":
        return int(part.ndim)
    if isinstance(part, list):
        array = np.asarray(part)
        return array.ndim if array.dtype.kind == "b" else 1
    return 1


def triple(part: slice) -> tuple[int | None, int | None, int | None]:
    """A slice as a hashable value."""

    def index(bound: Any) -> int | None:
        return None if bound is None else operator.index(bound)

    return index(part.start), index(part.stop), index(part.step)


def whole(part: Any) -> int:
    """An index that is one number."""
    try:
        return operator.index(part)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
            f"valid indices, got {part!r}{at_user_line()}"
        ) from None


def bounded(index: int, length: int, axis: int) -> int:
    """The index, if the axis has such an element."""
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}{at_user_line()}")
    return index


def within(index: Any, length: int, axis: int) -> Any:
    """Integers checked where they are known."""
    plain = concrete(index)
    if isinstance(plain, np.ndarray) and plain.size:
        for extreme in (int(plain.min()), int(plain.max())):
            bounded(extreme, length, axis)
    return index


def plain_basic(key: Any, shape: tuple[int, ...]) -> Key | None:
    """The key in its hashable form, if it is made of integers and slices alone: by far the most are."""
    parts = key if type(key) is tuple else (key,)
    missing = len(shape) - len(parts)
    if missing < 0:
        return None
    basic: list[Any] = []
    for part, length in zip(parts, shape):
        if type(part) is int and -length <= part < length:
            basic.append(part)
        elif type(part) is slice:
            bounds = (part.start, part.stop, part.step)
            for bound in bounds:
                if bound is not None and type(bound) is not int:
                    return None
            basic.append(bounds)
        else:
            return None
    basic.extend([WHOLE] * missing)
    return tuple(basic)


def index(x: Any, key: Any) -> Any:
    """x[key], for every key that NumPy takes."""
    if type(key) is np.ndarray and key.dtype.kind in "iu":
        return rows_of(x, key)
    shape = x.shape
    basic = plain_basic(key, shape)
    return slice_of(x, key=basic) if basic is not None else index_by(x, ParsedKey(key, shape))


def rows_of(x: Any, key: Any) -> Any:
    """x[key] for one array of integers, the advanced index that is used most."""
    shape = x.shape
    if not shape:
        return index_by(x, ParsedKey(key, shape))
    rows = within(key.astype(np.intp), shape[0], 0)
    if not nonnegative(rows):
        rows = np.where(rows < 0, rows + shape[0], rows)
    return gather(x, placed(rows, x), rest=len(shape) - 1, chosen=False)


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
    i = flat_index([placed(array, x) for array in parsed.arrays], shape[: len(axes)])
    if len(axes) > 1:
        length = 1
        for k in shape[: len(axes)]:
            length *= k
        x = reshape(x, shape=(length, *shape[len(axes) :]))
    out = gather(x, i, rest=len(others), chosen=parsed.chosen)
    if parsed.dotted and spec_of(out).kind == "scalar":
        return slice_of(out, key=(Ellipsis,))
    first = axes[0] if parsed.adjacent else 0
    if first == 0 or not others:
        return out
    rank = spec_of(i).ndim
    order = [*range(rank, rank + first), *range(rank), *range(rank + first, rank + len(others))]
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
    return flat


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
    if axis is None or not spec_of(a).ndim:
        a, axis = reshape(a, shape=(spec_of(a).size,)), 0 if axis is None else axis
    axis = negative_axis(operator.index(axis), spec_of(a).ndim) + spec_of(a).ndim
    length = spec_of(a).shape[axis]
    if mode == "wrap":
        indices = ew.remainder(as_index(indices), length)
    elif mode == "clip":
        indices = ew.clip(as_index(indices), 0, length - 1)
    else:
        indices = as_index(indices)
    taken = index(a, (*(slice(None),) * axis, indices))
    return taken if out is None else write_outs((out,), taken)


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """Elements picked along one axis, with an index for every line."""
    if axis is None:
        arr, axis = reshape(arr, shape=(spec_of(arr).size,)), 0
    shape = spec_of(arr).shape
    axis %= len(shape)
    its = spec_of(indices).shape
    if len(its) != len(shape):
        raise ValueError(f"`indices` and `arr` must have the same number of dimensions{at_user_line()}")
    lines = [
        module_of(arr, indices).arange(length).reshape((*(1,) * k, length, *(1,) * (len(shape) - k - 1)))
        for k, length in enumerate(shape)
    ]
    return index(arr, tuple(indices if k == axis else line for k, line in enumerate(lines)))


constant(np.nonzero, np.argwhere, np.flatnonzero, np.ravel_multi_index, np.unravel_index)
