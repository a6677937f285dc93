"""Reductions and scans that CuPy does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.trace.values.arrays import module_of

Axes = tuple[int, ...]


def xor(x: Any, *, axes: Axes) -> Any:
    """Whether an odd number of elements is true."""
    return np.sum(x != 0, axis=axes) % 2 == 1


def running(ufunc: np.ufunc) -> Callable[..., Any]:
    """A running extreme along an axis, in a number of passes that grows like the logarithm of the length."""

    def evaluate(x: Any, *, axis: int) -> Any:
        behind = (slice(None),) * (-axis - 1)
        found, step = x.copy(), 1
        while step < x.shape[axis]:
            before, here = found[(..., slice(None, -step), *behind)], found[(..., slice(step, None), *behind)]
            start = found[(..., slice(None, step), *behind)]
            found = np.concatenate([start, ufunc(before, here)], axis=axis)
            step *= 2
        return found

    return evaluate


def largest(x: Any, axes: Axes) -> Any:
    """The largest elements, with axes of length one; -inf of none."""
    if all(x.shape[axis] for axis in axes):
        return x.max(axis=axes, keepdims=True)
    shape = tuple(1 if k in axes else length for k, length in enumerate(x.shape, -x.ndim))
    return module_of(x).full(shape, -np.inf, x.dtype)


def logsumexp(x: Any, *, axes: Axes) -> Any:
    """The largest elements apart from the rest, which keeps every digit where the result is near zero."""
    top = largest(x, axes)
    hits = x == top
    rest = np.where(hits, 0, np.exp(x - top)).sum(axis=axes)
    count = hits.sum(axis=axes).astype(x.dtype)
    top = top.reshape(rest.shape)
    return np.where(np.isinf(top), top, np.log1p(rest / count) + np.log(count) + top)


def log_softmax(x: Any, *, axes: Axes) -> Any:
    """log(softmax(x)), without the logarithm of a zero."""
    top = x.max(axes, keepdims=True)
    below = x - np.where(np.isfinite(top), top, 0)
    return below - np.log(np.exp(below).sum(axes, keepdims=True))


def segment_sums(x: Any, *, axis: int, indices: tuple[int, ...]) -> Any:
    """The sum of each segment."""
    return np.add.reduceat(x, module_of(x).asarray(np.asarray(indices)), axis=axis)


def largest_in_regions(x: Any, regions: Any) -> Any:
    """The places of the largest elements of regions: for one cell of all grids at a time."""
    module = module_of(x)
    lead, (count, rows, columns) = x.shape[:-4], regions.shape[-4:-1]
    channels, height, width = x.shape[-3:]
    images, boxes = x.reshape(-1, *x.shape[-4:]), regions.reshape(-1, *regions.shape[-4:])
    places = module.full((len(images), count, channels, rows, columns), -1, np.intp)
    down, across = module.arange(height)[:, None], module.arange(width)
    for batch, row, column in np.ndindex(len(images), rows, columns):
        image, top, bottom, left, right = (part.reshape(-1, 1, 1) for part in boxes[batch, :, row, column].T)
        inside = ((down >= top) & (down < bottom) & (across >= left) & (across < right))[:, None]
        image = image.reshape(-1)
        values = np.where(inside, images[batch][image], -np.inf).reshape(count, channels, -1)
        best = values.argmax(-1) + (image[:, None] * channels + module.arange(channels)) * (height * width)
        some = inside.reshape(count, -1).any(-1)[:, None]
        places[batch, :, :, row, column] = np.where(some, best, -1)
    return places.reshape(*lead, *places.shape[1:])
