"""The largest pixels of cells of regions of interest, as Fast R-CNN takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.roi_geometry import boxes, checked_outsize, edges, on_host
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.regions import largest_in_regions, picked


def roi_pooling_2d(x: Any, rois: Any, outh: int, outw: int, spatial_scale: float) -> Variable:
    """The largest pixel in each of outh times outw cells of each region.

    Args:
        x: images (N, C, H, W), floats.
        rois: regions (R, 5), of the dtype of x: number of the image, left, top, right, bottom; ends are included.
        outh: rows of cells.
        outw: columns of cells.
        spatial_scale: by which the regions are multiplied.

    Returns:
        (R, C, outh, outw); 0 for cells without pixels. Of equal pixels the first one has the derivative.

    Raises:
        TypeError: if ``outh`` or ``outw`` are no positive integers.
        InvalidType: if shapes or dtypes do not fit.

    R. Girshick, Fast R-CNN, 2015.

    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_pooling_2d(x, np.array([[0.0, 0.0, 0.0, 3.0, 3.0]]), 2, 2, 1.0)
    variable([[[[ 5.,  7.],
                [13., 15.]]]])
    """
    rows_of_cells, columns_of_cells = checked_outsize((outh, outw))

    def largest(x: Any, *_: Any) -> Any:
        known = on_host(rois)
        left, top, right, bottom = np.round(known[:, 1:] * spatial_scale).astype(int).T
        rows = edges(top, bottom - top + 1, rows_of_cells, x.shape[2])
        columns = edges(left, right - left + 1, columns_of_cells, x.shape[3])
        return picked(x, largest_in_regions(x, beside(x, boxes(known[:, 0], *rows, *columns))))

    def fits(*in_types: Any) -> tuple[Any, ...]:
        x, rois = in_types
        return x.dtype.kind == "f", x.ndim == 4, x.dtype == rois.dtype, rois.ndim == 2, rois.shape[1] == 5

    return apply("ROIPooling2D", largest, (x, rois), check=fits)


ROIPooling2D = function_class(
    "ROIPooling2D",
    roi_pooling_2d,
    "outh, outw, spatial_scale",
    computed={"outh": lambda self: self.rows_of_cells, "outw": lambda self: self.columns_of_cells},
)
