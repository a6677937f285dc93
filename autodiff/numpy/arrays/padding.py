"""np.pad: each axis in turn gets a border in front and behind, made of what is there by then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.arrays.joining import concatenate
from autodiff.numpy.arrays.ranges import linspace
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.ops import elementwise as ew
from autodiff.ops.creation import copy
from autodiff.ops.index import slice_into, slice_of
from autodiff.ops.join import WHOLE
from autodiff.ops.shape import broadcast_to, reshape, without
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.values.arrays import placed

Border = Callable[[Any, int, tuple[int, int]], tuple[Any, Any]]
"""What lies in front of an array and behind it along a negative axis, in the given widths."""

OPTIONS = {
    "constant": "constant_values", "edge": "", "linear_ramp": "end_values", "maximum": "stat_length",
    "mean": "stat_length", "median": "stat_length", "minimum": "stat_length", "reflect": "reflect_type",
    "symmetric": "reflect_type", "wrap": "",
}  # fmt: skip


@implements(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """The array with a border around it: constants, edges, ramps, statistics, reflections or repetitions."""
    x = as_operand(array)
    its = spec_of(x)
    widths = _widths(pad_width, its.ndim)
    _check(mode, kwargs)
    if mode == "constant":
        return _with_constants(x, widths, kwargs.get("constant_values", 0))
    if not its.size:
        return _empty_axes(x, widths)
    for axis, width in zip(range(-its.ndim, 0), widths):
        if any(width):
            before, after = _border(mode, kwargs, its.ndim, axis)(x, axis, width)
            x = _surrounded(x, axis, width, before, after)
    return x if any(map(any, widths)) else copy(x)


def _widths(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    if isinstance(pad_width, dict):
        pairs: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = width if isinstance(width, tuple) else (width, width)
        pad_width = pairs
    given = np.asarray(pad_width)
    if given.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    if (given < 0).any():
        raise ValueError("index can't contain negative values")
    return tuple((before, after) for before, after in np.broadcast_to(given, (ndim, 2)).tolist())


def _check(mode: Any, options: dict[str, Any]) -> None:
    if callable(mode) or mode == "empty":
        what = "mode='empty' leaves elements uninitialised" if mode == "empty" else "a function as mode writes in place"
        raise DifferentiationError(
            f"np.pad cannot be traced this way{at_user_line()}: {what}. Use another mode, or np.concatenate"
        )
    if mode not in OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    unsupported = set(options) - {OPTIONS[mode]}
    if unsupported:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unsupported}")


def _pairs(values: Any, ndim: int) -> Any:
    """A value for each end of each axis, from one for all, one for each end, or all of them."""
    values = as_operand(values)
    return broadcast_to(values, shape=np.broadcast_to(np.empty(spec_of(values).shape), (ndim, 2)).shape)


def _with_constants(x: Any, widths: Any, values: Any) -> Any:
    ndim = len(widths)
    if type(values) in (int, float) and values == 0 and not np.signbit(values):
        return _among_zeros(x, widths)
    pairs = _pairs(values, ndim)
    for axis, width in zip(range(-ndim, 0), widths):
        ends = [ew.cast(slice_of(pairs, key=(ndim + axis, side)), dtype=spec_of(x).dtype) for side in (0, 1)]
        x = _surrounded(x, axis, width, *(reshape(end, shape=(1,) * ndim) for end in ends))
    return x if ndim else copy(x)


def _among_zeros(x: Any, widths: Any) -> Any:
    lengths = spec_of(x).shape
    key = tuple((before, before + length, None) for length, (before, _) in zip(lengths, widths))
    shape = tuple(before + length + after for length, (before, after) in zip(lengths, widths))
    return slice_into(x, key=key, shape=shape) if shape else copy(x)


def _empty_axes(x: Any, widths: Any) -> Any:
    for axis, (length, width) in enumerate(zip(spec_of(x).shape, widths)):
        if length == 0 and any(width):
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    return _among_zeros(x, widths)


def _surrounded(x: Any, axis: int, width: tuple[int, int], before: Any, after: Any) -> Any:
    """The array between two borders, which are repeated to the width that they need."""
    shape = spec_of(x).shape
    parts = [x]
    for place, part, count in ((0, before, width[0]), (len(parts) + 1, after, width[1])):
        wanted = tuple(count if k == axis else length for k, length in enumerate(shape, -len(shape)))
        if count:
            part = placed(part, x)
            parts.insert(place, part if spec_of(part).shape == wanted else broadcast_to(part, shape=wanted))
    return concatenate(parts, axis) if len(parts) > 1 else x


def _border(mode: str, options: dict[str, Any], ndim: int, axis: int) -> Border:
    """How one axis gets its border."""
    if mode == "edge":
        return _edges
    if mode == "wrap":
        return _wrapped
    if mode in ("reflect", "symmetric"):
        return _reflecting(options.get("reflect_type", "even") == "odd", mode == "symmetric")
    row = ndim + axis
    if mode == "linear_ramp":
        return _ramps(_pairs(options.get("end_values", 0), ndim), row)
    lengths = options.get("stat_length")
    lengths = ((None, None),) * ndim if lengths is None else np.broadcast_to(lengths, (ndim, 2)).tolist()
    return _statistics(mode, lengths[row])


def part(x: Any, axis: int, start: int | None, stop: int | None, step: int | None = None) -> Any:
    """A slice along one negative axis."""
    return slice_of(x, key=((start, stop, step), *(WHOLE,) * (-axis - 1)))


def _edges(x: Any, axis: int, width: tuple[int, int]) -> tuple[Any, Any]:
    return part(x, axis, 0, 1), part(x, axis, -1, None)


def _wrapped(x: Any, axis: int, width: tuple[int, int]) -> tuple[Any, Any]:
    length = spec_of(x).shape[axis]
    (times, more), (times_after, more_after) = (divmod(count, length) for count in width)
    before = [part(x, axis, length - more, None)] * bool(more) + [x] * times
    after = [x] * times_after + [part(x, axis, 0, more_after)] * bool(more_after)
    return _together(before, x, axis), _together(after, x, axis)


def _together(parts: list[Any], x: Any, axis: int) -> Any:
    return concatenate(parts, axis) if parts else part(x, axis, 0, 0)


def _reflecting(odd: bool, with_edge: bool) -> Border:
    """Mirrored at the ends, again and again where the border is wider than what is mirrored.

    Each round mirrors whole periods of the array, as NumPy does, so that odd reflections add up in the same order.
    """

    def reflected(x: Any, axis: int, width: tuple[int, int]) -> tuple[Any, Any]:
        period = spec_of(x).shape[axis] - (not with_edge)
        if spec_of(x).shape[axis] == 1:
            return _edges(x, axis, width)
        before, after = part(x, axis, 0, 0), part(x, axis, 0, 0)
        left, right = width
        while left or right:
            whole = concatenate((before, x, after), axis)
            length = spec_of(whole).shape[axis]
            usable = (length - (not with_edge)) // period * period
            count = min(usable, left)
            mirrored = part(part(whole, axis, 1 - with_edge, count + 1 - with_edge), axis, None, None, -1)
            before = concatenate((_turned(mirrored, part(whole, axis, 0, 1), odd), before), axis)
            left -= count
            count = min(usable, right)
            end = length - (not with_edge)
            mirrored = part(part(whole, axis, end - count, end), axis, None, None, -1)
            after = concatenate((after, _turned(mirrored, part(whole, axis, -1, None), odd)), axis)
            right -= count
        return before, after

    return reflected


def _turned(mirrored: Any, edge: Any, odd: bool) -> Any:
    """An odd reflection turns the values around the edge as well; of truths it is true where that is not zero."""
    if not odd:
        return mirrored
    turned = ew.subtract(ew.multiply(2, edge), mirrored)
    return ew.not_equal(turned, 0) if spec_of(mirrored).dtype == bool else turned


def _ramps(ends: Any, row: int) -> Border:
    def ramps(x: Any, axis: int, width: tuple[int, int]) -> tuple[Any, Any]:
        dtype = spec_of(x).dtype
        found = []
        for side, edge in enumerate(_edges(x, axis, width)):
            stop = reshape(edge, shape=without(spec_of(edge).shape, (axis,)))
            start = slice_of(ends, key=(row, side))
            found.append(linspace(start, stop, width[side], endpoint=False, dtype=dtype, axis=axis))
        return found[0], part(found[1], axis, None, None, -1)

    return ramps


def _statistics(mode: str, lengths: tuple[int | None, int | None]) -> Border:
    functions: dict[str, Callable[..., Any]] = {
        "maximum": np.max,
        "minimum": np.min,
        "mean": np.mean,
        "median": np.median,
    }
    function = functions[mode]

    def statistics(x: Any, axis: int, width: tuple[int, int]) -> tuple[Any, Any]:
        whole = spec_of(x).shape[axis]
        left, right = (whole if length is None else min(int(length), whole) for length in lengths)
        if 0 in (left, right) and mode in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")
        dtype = spec_of(x).dtype
        before = _rounded(function(part(x, axis, 0, left), axis=axis, keepdims=True), dtype)
        if left == right == whole:
            return before, before
        return before, _rounded(
            function(part(x, axis, whole - right, None), axis=axis, keepdims=True), spec_of(x).dtype
        )

    return statistics


def _rounded(statistic: Any, dtype: np.dtype[Any]) -> Any:
    if spec_of(statistic).dtype == dtype:
        return statistic
    return ew.cast(ew.rint(statistic) if dtype.kind in "iu" else statistic, dtype=dtype)
