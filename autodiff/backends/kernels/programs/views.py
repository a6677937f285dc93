"""Memory looked at in another way: shapes and strides as NumPy's own views have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.storage import Buffer, Shape


def as_array(buffer: Buffer) -> np.ndarray:
    """An array without memory of its own that has the shape and strides of a buffer, one byte an element."""
    return np.lib.stride_tricks.as_strided(np.empty(0, np.int8), buffer.shape, buffer.strides)


def viewed(buffer: Buffer, change: Callable[[np.ndarray], np.ndarray]) -> Buffer:
    """A buffer looked at in the way in which NumPy's views look at an array."""
    before = as_array(buffer)
    after = change(before)
    moved = after.__array_interface__["data"][0] - before.__array_interface__["data"][0]
    return Buffer(buffer.base, after.shape, after.strides, buffer.offset + moved, buffer.dtype)


def at(x: np.ndarray, key: tuple[Any, ...]) -> np.ndarray:
    """A part of an array as an array, also where it is one element."""
    return x[key if any(part is Ellipsis for part in key) else (*key, Ellipsis)]


def leading(shape: Shape, out: Shape, depth: int) -> Shape:
    """The lengths that a shape has along the first axes of one that it broadcasts to."""
    return (*(1,) * (len(out) - len(shape)), *shape)[:depth]
