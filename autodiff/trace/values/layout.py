"""How the elements of an array lie in memory, and copies that lie alike.

NumPy's results depend on it in two places: reshaping shares memory where the strides allow it and copies elsewhere,
and the orders ``"A"`` and ``"K"`` read elements as they lie. A copy of what the user holds must answer both as the
original would.
"""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np

from autodiff.trace.memory.recycling import LARGE, maker_of


def copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy whose axes have the order, the directions and the gaps of the original's."""
    if array.dtype.hasobject:
        return array.copy("K")
    if array.flags.forc:
        if array.nbytes < LARGE:
            return array.copy("K")
        turned = not array.flags.c_contiguous
        out = maker_of(array.shape[::-1] if turned else array.shape, array.dtype)()
        out = out.T if turned else out
    else:
        out = alike(array, array.dtype)
    out[...] = array
    return out


def writable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy that is laid out alike, unless that would give several elements one piece of memory."""
    return array.copy("K") if not array.flags.forc and has_overlap(array) else copied(array)


def alike(array: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """An uninitialised array of a dtype, laid out as another one is."""
    dtype = np.dtype(dtype)
    strides = tuple(step * dtype.itemsize for step in steps(array))
    below = sum((length - 1) * -stride for length, stride in zip(array.shape, strides) if stride < 0)
    above = sum((length - 1) * stride for length, stride in zip(array.shape, strides) if stride > 0)
    if not array.size:
        return np.empty(array.shape, dtype)
    buffer = maker_of(((below + above) // dtype.itemsize + 1,), dtype)()
    return np.ndarray(array.shape, dtype, buffer, below, strides)


def steps(array: np.ndarray[Any, Any]) -> list[int]:
    """The distances of neighbours along each axis, in elements of a copy that is laid out alike.

    NumPy makes one axis of two whose strides have a certain ratio. So axes that can ever become one, as they are or
    sliced, keep the ratios of their strides; between others there is only so much room that they never do. A small
    window of a large array does not take the memory of that. Neighbours that touch, and only they, touch in the copy.
    """
    long = [axis for axis in range(array.ndim) if array.shape[axis] > 1 and array.strides[axis]]
    long.sort(key=lambda axis: abs(array.strides[axis]))
    lengths = [array.shape[axis] for axis in long]
    sizes = [abs(array.strides[axis]) for axis in long]
    room = 1 if sizes[:1] == [array.itemsize] else 2  # neighbours touch, or they do not
    inside = 0  # at least what the axes so far span
    for start, stop in related(lengths, sizes):
        own = slice(start, stop)
        unit = gcd(*sizes[own])
        sizes[own] = spaced(lengths[own], [size // unit for size in sizes[own]], max(room, 2 * inside))
        inside += sum(length * size for length, size in zip(lengths[own], sizes[own]))
    found = [0] * array.ndim
    for axis, size in zip(long, sizes):
        found[axis] = size if array.strides[axis] > 0 else -size
    return found


def related(lengths: list[int], sizes: list[int]) -> list[tuple[int, int]]:
    """The ranges of axes, ordered by their strides, among which some can become one axis."""
    count = len(sizes)
    if overlap(lengths, sizes):
        return [(0, count)]
    starts = [
        k for k in range(count) if not any(joins(lengths, sizes, i, j) for i in range(k) for j in range(k, count))
    ]
    return list(zip(starts, [*starts[1:], count]))


def overlap(lengths: list[int], sizes: list[int]) -> bool:
    """Whether elements may share memory, for axes ordered by their strides."""
    return any(size <= span(lengths[:k], sizes[:k]) for k, size in enumerate(sizes))


def has_overlap(array: np.ndarray[Any, Any]) -> bool:
    """Whether several elements of an array may be one and the same piece of memory."""
    axes = sorted((abs(stride), length) for stride, length in zip(array.strides, array.shape) if length > 1)
    return array.size > 0 and overlap([length for _, length in axes], [size for size, _ in axes])


def span(lengths: list[int], sizes: list[int]) -> int:
    """How far the last element of some axes is from the first."""
    return sum((length - 1) * size for length, size in zip(lengths, sizes))


def joins(lengths: list[int], sizes: list[int], inner: int, outer: int) -> bool:
    """Whether slices with at least two elements of each of two axes can become one axis.

    A slice of ``count`` elements, with some step, becomes one with a slice of the outer axis, if the stride of that is
    ``count`` times its own.
    """
    unit = gcd(sizes[inner], sizes[outer])
    return sizes[inner] // unit < lengths[outer] and sizes[outer] // unit <= 2 * (lengths[inner] - 1)


def spaced(lengths: list[int], sizes: list[int], inside: int) -> list[int]:
    """Strides in these ratios, the smallest that leave room ``inside`` between neighbours of each axis."""
    room = [size - span(lengths[:k], sizes[:k]) for k, size in enumerate(sizes)]
    unit = max([1, *(-(-inside // gap) for gap in room if gap > 0)])
    return [size * unit for size in sizes]
