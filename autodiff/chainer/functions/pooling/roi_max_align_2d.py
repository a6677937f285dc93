"""The largest of samples between the pixels of cells of regions of interest."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.roi_geometry import (
    checked_outsize,
    checked_ratio,
    checked_scale,
    region_weights,
    regions_fit,
    weighted,
)
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.transforms.stop_gradient import stop_gradient


def roi_max_align_2d(
    x: Any, rois: Any, roi_indices: Any, outsize: Any, spatial_scale: float, sampling_ratio: Any = None
) -> Variable:
    """The largest of values that are interpolated at points of each cell of each region; nothing is rounded.

    Args:
        x: images (N, C, H, W), floats.
        rois: regions (R, 4), of the dtype of x: top, left, bottom, right.
        roi_indices: for each region the number of its image (R,), int32.
        outsize: how many cells: a number, or a pair (rows, columns).
        spatial_scale: by which the regions are multiplied.
        sampling_ratio: how many points along the rows and the columns of a cell: a number, or a pair; None for about
            one for each pixel.

    Returns:
        (R, C, rows, columns); 0 for cells beyond the image. Of equal values the first one has the derivative.

    Raises:
        TypeError: if ``outsize``, ``spatial_scale`` or ``sampling_ratio`` are not positive.
        InvalidType: if shapes or dtypes do not fit.

    >>> x, regions = np.arange(16.0).reshape(1, 1, 4, 4), np.array([[0.0, 0.0, 2.0, 2.0]])
    >>> roi_max_align_2d(x, regions, np.zeros(1, np.int32), 1, 1.0)
    variable([[[[7.5]]]])
    """
    cells, scale, ratio = checked_outsize(outsize), checked_scale(spatial_scale), checked_ratio(sampling_ratio)

    def largest(x: Any, *_: Any) -> Any:
        rows, columns = (flattened(weights) for weights in region_weights(rois, cells, scale, ratio, x.shape))
        samples = by_cell(weighted(x, roi_indices, rows, columns), cells)
        inside = by_cell(np.matmul(seen(rows), np.swapaxes(seen(columns), -1, -2))[:, np.newaxis], cells) > 0
        inside = beside(x, inside)
        places = np.argmax(np.where(inside, stop_gradient(samples), -np.inf), axis=-1)[..., np.newaxis]
        return np.where(inside.any(-1), np.take_along_axis(samples, places, axis=-1)[..., 0], 0)

    return apply("ROIMaxAlign2D", largest, (x, rois, roi_indices), check=regions_fit)


def by_cell(values: Any, cells: tuple[int, int]) -> Any:
    """Values of all samples (R, C, rows of samples, columns of samples) as (R, C, rows, columns, samples)."""
    count, channels, height, width = values.shape
    split = values.reshape((count, channels, cells[0], height // cells[0], cells[1], width // cells[1]))
    return split.transpose(0, 1, 2, 4, 3, 5).reshape((count, channels, *cells, -1))


def seen(weights: Any) -> Any:
    """Whether samples (R, samples, pixels) lie within the image, as columns (R, samples, 1)."""
    return (weights.sum(-1, keepdims=True) > 0).astype(float)


def flattened(weights: list[Any]) -> Any:
    """Weights of samples (cells times samples, pixels) of all regions, of as many samples each.

    What is missing repeats the first sample of its cell, which changes no maximum.
    """
    most = max((each.shape[1] for each in weights), default=1)
    filled = [each[:, [*range(each.shape[1]), *[0] * (most - each.shape[1])]] for each in weights]
    return np.stack([each.reshape(-1, each.shape[2]) for each in filled])


ROIMaxAlign2D = function_class(
    "ROIMaxAlign2D", roi_max_align_2d, "outsize, spatial_scale, sampling_ratio=None", called=True
)
