"""New arrays, and arrays put together, on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.images.counting import scaled, window_counts
from autodiff.trace.values.arrays import module_of


def full(prototype: Any, value: Any, *, shape: tuple[int, ...], dtype: Any) -> Any:
    """A new array, filled with a value that broadcasts to it."""
    out = module_of(prototype, value).empty(shape, dtype)
    out[...] = value
    return out


def copy(x: Any) -> Any:
    """The same elements in memory of their own."""
    return x.copy(order="K")


def samples(start: Any, stop: Any, *, count: int, endpoint: bool) -> Any:
    """Numbers at equal distances along a new last axis."""
    module = module_of(start, stop)
    start, stop = module.asarray(start), module.asarray(stop)
    steps = max(count - 1 if endpoint else count, 1)
    out = start[..., None] + (stop - start)[..., None] * (module.arange(count, dtype=start.dtype) / steps)
    out = out.astype(start.dtype, copy=False)
    if endpoint and count > 1:
        out[..., -1] = stop
    return out


def stack(*xs: Any, axis: int) -> Any:
    """The arrays and numbers side by side along a new axis."""
    module = module_of(*xs)
    return np.stack([x if hasattr(x, "__cuda_array_interface__") else on_device(x, module) for x in xs], axis=axis)


def on_device(x: Any, module: Any) -> Any:
    """A number as an array; an array of NumPy is left to CuPy, which refuses it."""
    return x if isinstance(x, np.ndarray) else module.asarray(x)


def windows(x: Any, *, shape: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    """All windows over the last axes; nothing is copied."""
    rank = len(shape)
    counts = window_counts(x.shape[-rank:], shape, stride, dilation)
    steps = x.strides[-rank:]
    strides = (*x.strides[:-rank], *scaled(steps, stride), *scaled(steps, dilation))
    return module_of(x).lib.stride_tricks.as_strided(x, (*x.shape[:-rank], *counts, *shape), strides)
