"""Memory layouts: the same values, laid out in every way that NumPy allows."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def contiguous(array: Array) -> Array:
    """Rows one after the other."""
    return np.array(array, order="C")


def fortran(array: Array) -> Array:
    """Columns one after the other."""
    return np.array(array, order="F")


def transposed(array: Array) -> Array:
    """A view whose last two axes are swapped in memory."""
    return contiguous(array.swapaxes(-1, -2)).swapaxes(-1, -2) if array.ndim > 1 else contiguous(array)


def strided(array: Array) -> Array:
    """A view of every second element of a larger buffer; between them lies NaN (-1 for integers)."""
    if array.ndim == 0:
        return contiguous(array)
    gaps = np.full((*array.shape[:-1], 2 * array.shape[-1]), np.nan if array.dtype.kind in "fc" else -1)
    buffer = gaps.astype(array.dtype)
    buffer[..., ::2] = array
    return buffer[..., ::2]


def reversed_axes(array: Array) -> Array:
    """A view with a negative stride along every axis."""
    return contiguous(np.flip(array))[(slice(None, None, -1),) * array.ndim] if array.ndim else contiguous(array)


def read_only(array: Array) -> Array:
    """An array that refuses to be written."""
    copy = contiguous(array)
    copy.flags.writeable = False
    return copy


def broadcast(array: Array) -> Array:
    """A view that repeats the first slice of the longest axis through a stride of zero. It changes values."""
    if array.ndim == 0 or array.size == 0:
        return read_only(array)
    axis = max(range(array.ndim), key=lambda axis: array.shape[axis])
    return np.broadcast_to(contiguous(array.take([0], axis)), array.shape)


LAYOUTS: Mapping[str, Callable[[Array], Array]] = MappingProxyType(
    {
        "contiguous": contiguous,
        "fortran": fortran,
        "transposed": transposed,
        "strided": strided,
        "reversed": reversed_axes,
        "read-only": read_only,
        "broadcast": broadcast,
    }
)
"""How an array may lie in memory, by name: functions that give an array of the same values, laid out so."""

VALUE_KEEPING: tuple[str, ...] = tuple(name for name in LAYOUTS if name != "broadcast")
"""The layouts that change no value: for functions that need, say, a regular matrix."""


def lay_out(array: Array, layout: str) -> Array:
    """The array's values in the named memory layout.

    Args:
        array: values of any shape and dtype; never changed and never shared with the result.
        layout: one of `LAYOUTS`. "broadcast" repeats one slice, so it changes values; the others keep them.

    Raises:
        ValueError: no layout has this name.

    >>> lay_out(np.arange(3.0), "reversed").strides
    (-8,)
    """
    if layout not in LAYOUTS:
        raise ValueError(f"there is no memory layout {layout!r}; choose one of {', '.join(LAYOUTS)}")
    return LAYOUTS[layout](array)
