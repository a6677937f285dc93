"""The largest pixels of cells of regions of interest."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.roi_geometry import (
    boxes,
    cell_edges,
    checked_outsize,
    checked_scale,
    regions_fit,
)
from autodiff.chainer.functions.shown_attributes import REGION
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.regions import largest_in_regions, picked


def roi_max_pooling_2d(x: Any, rois: Any, roi_indices: Any, outsize: Any, spatial_scale: float) -> Variable:
    """The largest pixel in each cell of each region.

    Args:
        x: images (N, C, H, W), floats.
        rois: regions (R, 4), of the dtype of x: top, left, bottom, right; ends are not included.
        roi_indices: for each region the number of its image (R,), int32.
        outsize: how many cells: a number, or a pair (rows, columns).
        spatial_scale: by which the regions are multiplied.

    Returns:
        (R, C, rows, columns); 0 for cells without pixels. Of equal pixels the first one has the derivative.

    Raises:
        TypeError: if ``outsize`` or ``spatial_scale`` are not positive.
        InvalidType: if shapes or dtypes do not fit.

    >>> import numpy as np
    >>> x, regions = np.arange(16.0).reshape(1, 1, 4, 4), np.array([[0.0, 0.0, 4.0, 2.0]])
    >>> roi_max_pooling_2d(x, regions, np.zeros(1, np.int32), (2, 1), 1.0).array.ravel()
    array([ 5., 13.])
    """
    cells, scale = checked_outsize(outsize), checked_scale(spatial_scale)

    def largest(x: Any, *_: Any) -> Any:
        regions = boxes(roi_indices, *cell_edges(rois, cells, scale, x.shape))
        return picked(x, largest_in_regions(x, beside(x, regions)))

    return apply("ROIMaxPooling2D", largest, (x, rois, roi_indices), check=regions_fit)


ROIMaxPooling2D = function_class(
    "ROIMaxPooling2D", roi_max_pooling_2d, "outsize, spatial_scale", called=True, computed=REGION
)
