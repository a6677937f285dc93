"""The mean of samples between the pixels of cells of regions of interest."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.roi_geometry import (
    checked_outsize,
    checked_ratio,
    checked_scale,
    region_weights,
    regions_fit,
    weighted,
)
from autodiff.chainer.functions.shown_attributes import REGION
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def roi_average_align_2d(
    x: Any, rois: Any, roi_indices: Any, outsize: Any, spatial_scale: float, sampling_ratio: Any = None
) -> Variable:
    """The mean of values that are interpolated at points of each cell of each region; nothing is rounded.

    Args:
        x: images (N, C, H, W), floats.
        rois: regions (R, 4), of the dtype of x: top, left, bottom, right.
        roi_indices: for each region the number of its image (R,), int32.
        outsize: how many cells: a number, or a pair (rows, columns).
        spatial_scale: by which the regions are multiplied.
        sampling_ratio: how many points along the rows and the columns of a cell: a number, or a pair; None for about
            one for each pixel.

    Returns:
        (R, C, rows, columns). Points beyond the image count as 0.

    Raises:
        TypeError: if ``outsize``, ``spatial_scale`` or ``sampling_ratio`` are not positive.
        InvalidType: if shapes or dtypes do not fit.

    K. He, G. Gkioxari, P. Dollar and R. Girshick, Mask R-CNN, 2017.

    >>> x, regions = np.arange(16.0).reshape(1, 1, 4, 4), np.array([[0.0, 0.0, 2.0, 2.0]])
    >>> roi_average_align_2d(x, regions, np.zeros(1, np.int32), 1, 1.0)
    variable([[[[5.]]]])
    """
    cells, scale, ratio = checked_outsize(outsize), checked_scale(spatial_scale), checked_ratio(sampling_ratio)

    def mean(x: Any, *_: Any) -> Any:
        rows, columns = region_weights(rois, cells, scale, ratio, x.shape)
        means = [np.stack([samples.mean(1) for samples in weights]) for weights in (rows, columns)]
        return weighted(x, roi_indices, *means)

    return apply("ROIAverageAlign2D", mean, (x, rois, roi_indices), check=regions_fit)


ROIAverageAlign2D = function_class(
    "ROIAverageAlign2D",
    lambda x, rois, index, **given: roi_average_align_2d(x, rois, index, **given),
    "outsize, spatial_scale, sampling_ratio=None",
    called=True,
    computed={**REGION, "sampling_ratio": lambda self: self.ratio},
)
