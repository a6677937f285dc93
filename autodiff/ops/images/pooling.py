"""The largest element, and the mean, under windows that slide over images."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.ops.images.counting import Lengths
from autodiff.ops.images.geometry import Geometry, geometry_of
from autodiff.ops.images.overlap import windows
from autodiff.ops.index import slice_into
from autodiff.ops.reductions.reduce import max_axes
from autodiff.ops.shape import sum_axes
from autodiff.trace.spec import spec_of
from autodiff.trace.values.arrays import placed


def max_pooling(x: Any, shape: Any, *, stride: Any = None, padding: Any = 0, dilation: Any = 1) -> Any:
    """The largest element under each window; k equal ones share the derivative. Padding is never chosen.

    Args:
        x: images (N, C, lengths).
        shape: of the windows: a number, or one for each spatial axis.
        stride: steps between windows; by default they lie side by side.
        padding: width of the border: a number, one for each spatial axis, or a pair (before, after) for each.
        dilation: steps between elements of a window.

    Returns:
        (N, C, counts).

    >>> import numpy as np
    >>> max_pooling(np.array([[[1.0, 3.0, 2.0, 0.0]]]), 2)
    array([[[3., 2.]]])
    """
    lengths, geometry = _geometry(x, shape, stride, padding, dilation)
    padded = _padded(x, geometry)
    if any(map(any, geometry.padding)):
        padded = padded + placed(_border(spec_of(x).shape[2:], geometry, -np.inf).astype(spec_of(x).dtype), x)
    return max_axes(_taken(padded, lengths, geometry), axes=_window_axes(geometry))


def average_pooling(
    x: Any, shape: Any, *, stride: Any = None, padding: Any = 0, dilation: Any = 1, count_padding: bool = True
) -> Any:
    """The mean of the elements under each window.

    Args:
        x: images (N, C, lengths).
        shape: of the windows: a number, or one for each spatial axis.
        stride: steps between windows; by default they lie side by side.
        padding: width of the border, which is zero.
        dilation: steps between elements of a window.
        count_padding: whether padding counts as zeros; otherwise only elements of the images are averaged.

    >>> import numpy as np
    >>> average_pooling(np.array([[[1.0, 3.0, 2.0, 0.0]]]), 2)
    array([[[2., 1.]]])
    """
    lengths, geometry = _geometry(x, shape, stride, padding, dilation)
    total = sum_axes(_taken(_padded(x, geometry), lengths, geometry), axes=_window_axes(geometry))
    if count_padding:
        return total / prod(lengths)
    inner = 1 + _border(spec_of(x).shape[2:], geometry, -1.0)
    count = np.sum(_taken(inner, lengths, geometry), axis=_window_axes(geometry))
    return total / placed(count.astype(spec_of(x).dtype), x)


def _geometry(x: Any, shape: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Lengths, Geometry]:
    rank = spec_of(x).ndim - 2
    lengths = geometry_of(rank, shape, 0, 1, 1).stride
    return lengths, geometry_of(rank, lengths if stride is None else stride, padding, dilation, 1)


def _inner_key(lengths: Lengths, geometry: Geometry) -> tuple[tuple[int, int, None], ...]:
    """Where images lie within their padding."""
    return tuple((low, low + length, None) for length, (low, _) in zip(lengths, geometry.padding))


def _padded(x: Any, geometry: Geometry) -> Any:
    """Images among zeros."""
    if not any(map(any, geometry.padding)):
        return x
    own = spec_of(x).shape
    key = ((None, None, None), (None, None, None), *_inner_key(own[2:], geometry))
    return slice_into(x, key=key, shape=(*own[:2], *geometry.padded(own[2:])))


def _border(lengths: Lengths, geometry: Geometry, value: float) -> np.ndarray[Any, Any]:
    """Zero where images lie, the value around them."""
    border = np.full(geometry.padded(lengths), value)
    border[tuple(slice(*part) for part in _inner_key(lengths, geometry))] = 0
    return border


def _taken(x: Any, lengths: Lengths, geometry: Geometry) -> Any:
    return windows(x, shape=lengths, stride=geometry.stride, dilation=geometry.dilation)


def _window_axes(geometry: Geometry) -> tuple[int, ...]:
    return tuple(range(-geometry.rank, 0))
