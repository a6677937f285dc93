"""Regions of interest, divided into cells: ranges of pixels, and weights of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.backends.cuda import to_cpu
from autodiff.chainer.functions.beside import beside
from autodiff.facade import as_array
from autodiff.trace.source import at_user_line

Pair = tuple[int, int]


def checked_outsize(outsize: Any) -> Pair:
    """The numbers of rows and columns of cells.

    Raises:
        TypeError: if they are no positive integers.
    """
    rows, columns = outsize if isinstance(outsize, (tuple, list)) else (outsize, outsize)
    for number in (rows, columns):
        if not isinstance(number, (int, np.integer)) or number < 1:
            raise TypeError(f"outsize must be a positive integer or a pair of them, got {outsize!r}{at_user_line()}")
    return int(rows), int(columns)


def checked_scale(spatial_scale: Any) -> float:
    """The size of a pixel of the original image, in pixels of x.

    Raises:
        TypeError: if it is no positive number.
    """
    if isinstance(spatial_scale, (float, int, np.number)) and spatial_scale > 0:
        return float(spatial_scale)
    raise TypeError(f"spatial_scale must be a positive number, got {spatial_scale!r}{at_user_line()}")


def checked_ratio(sampling_ratio: Any) -> tuple[int | None, int | None]:
    """How many samples are taken along the rows and columns of a cell; None for one for each pixel.

    Raises:
        TypeError: if they are neither None nor positive integers.
    """
    pair = sampling_ratio if isinstance(sampling_ratio, (tuple, list)) else (sampling_ratio, sampling_ratio)
    rows, columns = pair
    for number in (rows, columns):
        if number is not None and (not isinstance(number, (int, np.integer)) or number < 1):
            raise TypeError(
                f"sampling_ratio must be None, a positive integer, or a pair of these, got {sampling_ratio!r}"
                f"{at_user_line()}"
            )
    return rows, columns


def regions_fit(*in_types: Any) -> tuple[Any, ...]:
    """The conditions on images, regions (R, 4) and their image numbers."""
    x, rois, indices = in_types
    return (
        x.dtype.kind == "f",
        x.ndim == 4,
        x.dtype == rois.dtype,
        rois.ndim == 2,
        rois.shape[1] == 4,
        indices.dtype == np.int32,
        indices.ndim == 1,
        rois.shape[0] == indices.shape[0],
    )


def on_host(array: Any) -> Any:
    """The elements of an array or Variable as a NumPy array."""
    return to_cpu(as_array(array))


def edges(start: Any, length: Any, count: int, limit: int) -> tuple[Any, Any]:
    """The half-open ranges of pixels of ``count`` cells of each region, (R, count), within the image."""
    step = np.maximum(length, 1)[:, np.newaxis] / count
    cells = np.arange(count)
    first = np.floor(cells * step).astype(int) + start[:, np.newaxis]
    last = np.ceil((cells + 1) * step).astype(int) + start[:, np.newaxis]
    return np.clip(first, 0, limit), np.clip(last, 0, limit)


def cell_edges(rois: Any, outsize: Pair, spatial_scale: float, shape: Sequence[int]) -> tuple[Any, ...]:
    """The half-open ranges of the cells of regions (top, left, bottom, right): tops, bottoms, lefts, rights."""
    corners = np.round(on_host(rois) * spatial_scale).astype(int)
    rows = edges(corners[:, 0], corners[:, 2] - corners[:, 0], outsize[0], shape[2])
    columns = edges(corners[:, 1], corners[:, 3] - corners[:, 1], outsize[1], shape[3])
    return (*rows, *columns)


def boxes(indices: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any) -> Any:
    """All cells of all regions as integers (R, rows, columns, 5): image, top, bottom, left, right."""
    shape = (len(tops), tops.shape[1], lefts.shape[1])
    parts = (
        on_host(indices)[:, np.newaxis, np.newaxis],
        tops[:, :, np.newaxis],
        bottoms[:, :, np.newaxis],
        lefts[:, np.newaxis],
        rights[:, np.newaxis],
    )
    return np.stack([np.broadcast_to(part, shape) for part in parts], axis=-1).astype(np.intp)


def averaging_weights(first: Any, last: Any, limit: int) -> Any:
    """The weight of each pixel in the mean over each range: (R, count, limit)."""
    pixels = np.arange(limit)
    inside = (first[..., np.newaxis] <= pixels) & (pixels < last[..., np.newaxis])
    return inside / np.maximum(last - first, 1)[..., np.newaxis]


def sample_weights(start: Any, end: Any, count: int, ratio: int | None, limit: int) -> list[Any]:
    """For each region the weights of pixels in each sample of each cell: (count, samples, limit).

    Samples lie between pixels, whose weights fall linearly with the distance; beyond the image they are zero.
    """
    found = []
    for low, high in zip(start, end):
        length = max(high - low, 1.0)
        samples = int(np.ceil(length / count)) if ratio is None else ratio
        places = low + (np.arange(count)[:, np.newaxis] + (np.arange(samples) + 0.5) / samples) * (length / count)
        clipped = np.clip(places, 0, limit - 1)[..., np.newaxis]
        weights = np.maximum(1 - np.abs(clipped - np.arange(limit)), 0)
        found.append(np.where(((places >= -1) & (places <= limit))[..., np.newaxis], weights, 0))
    return found


def region_weights(
    rois: Any, outsize: Pair, spatial_scale: float, ratio: tuple[int | None, int | None], shape: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """The sample weights of rows and of columns for regions (top, left, bottom, right)."""
    corners = on_host(rois).astype(float) * spatial_scale
    rows = sample_weights(corners[:, 0], corners[:, 2], outsize[0], ratio[0], shape[2])
    columns = sample_weights(corners[:, 1], corners[:, 3], outsize[1], ratio[1], shape[3])
    return rows, columns


def weighted(x: Any, indices: Any, rows: Any, columns: Any) -> Any:
    """rows x columns^T for the image of each region: (R, rows, H) and (R, columns, W) give (R, C, rows, columns)."""
    left, right = (beside(indices, weights[:, np.newaxis].astype(x.dtype)) for weights in (rows, columns))
    images = x[as_array(indices)]
    return np.matmul(np.matmul(left, images), np.swapaxes(right, -1, -2))
