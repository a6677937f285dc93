"""Pooling, its inverses, and regions of interest."""

import numpy as np

from tests.chainer.recorded.arrays import distinct, fixed, literal, normal
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F

REGIONS = [[1, 1, 6, 6], [2.3, 6.1, 7.2, 10.8], [3, 1, 9.5, 10]]
PIXELS = fixed([[1, 1, 6, 6], [6, 2, 11, 7], [3, 1, 10, 9]], "f")
IMAGE = normal(2, 2, 12, 8)
ROI = {"outsize": (3, 2), "spatial_scale": 0.5}


def regions(function, **keywords):
    """The function with regions given as (y, x, y, x) boxes of the image's dtype."""
    note = " ".join(f"{key}={value!r}" for key, value in keywords.items()).replace(", ", ",")

    def pooled(x):
        return function(x, np.array(REGIONS, x.dtype), np.array([0, 1, 0], "i"), **keywords)

    return case(f"{function.path[-1]} {note}", pooled, IMAGE)


CASES = [
    row(F.max_pooling_2d, distinct(2, 2, 4, 4), ksize=2, dtypes="fde"),
    row(F.max_pooling_2d, distinct(1, 2, 5, 5), ksize=2),
    row(F.max_pooling_2d, distinct(1, 2, 5, 5), ksize=2, cover_all=False),
    row(F.max_pooling_2d, distinct(1, 2, 5, 4), ksize=3, stride=2, pad=1),
    row(F.max_pooling_2d, distinct(1, 2, 5, 4), ksize=(2, 3), stride=(1, 2), pad=(1, 0)),
    row(F.max_pooling_2d, distinct(1, 1, 4, 4), ksize=2, return_indices=True),
    row(F.max_pooling_2d, distinct(1, 1, 5, 5), ksize=3, stride=2, pad=1, return_indices=True),
    row(F.max_pooling_1d, distinct(2, 2, 5), ksize=2),
    row(F.max_pooling_1d, distinct(1, 2, 5), ksize=3, stride=1, pad=1, return_indices=True),
    row(F.max_pooling_3d, distinct(1, 1, 3, 4, 3), ksize=2),
    row(F.max_pooling_nd, distinct(1, 2, 5), ksize=(2,), cover_all=False),
    row(F.max_pooling_nd, distinct(1, 1, 4, 4), ksize=2, stride=1),
    row(F.average_pooling_2d, normal(2, 2, 4, 4), ksize=2, dtypes="fde"),
    row(F.average_pooling_2d, normal(1, 2, 5, 4), ksize=3, stride=2, pad=1),
    row(F.average_pooling_2d, normal(1, 2, 5, 4), ksize=(2, 3), stride=(1, 2), pad=(1, 0)),
    row(F.average_pooling_1d, normal(1, 2, 5), ksize=2),
    row(F.average_pooling_1d, normal(1, 2, 5), ksize=3, stride=2, pad=1, pad_value=None),
    row(F.average_pooling_3d, normal(1, 1, 3, 4, 3), ksize=2),
    row(F.average_pooling_nd, normal(1, 2, 5), ksize=(3,), pad=1),
    row(F.average_pooling_nd, normal(1, 1, 4, 4), ksize=3, stride=2, pad=1, pad_value=None),
    row(F.unpooling_2d, normal(1, 2, 2, 3), ksize=2, dtypes="fde"),
    row(F.unpooling_2d, normal(1, 2, 2, 3), ksize=2, cover_all=False),
    row(F.unpooling_2d, normal(1, 2, 2, 2), ksize=3, stride=2, pad=1),
    row(F.unpooling_2d, normal(1, 2, 2, 2), ksize=2, outsize=(3, 4)),
    row(F.unpooling_1d, normal(1, 2, 3), ksize=2),
    row(F.unpooling_1d, normal(1, 2, 3), ksize=2, outsize=(5,)),
    row(F.unpooling_3d, normal(1, 1, 2, 2, 2), ksize=2),
    row(F.unpooling_nd, normal(1, 1, 3), ksize=(3,), stride=2, pad=1, cover_all=False),
    row(F.spatial_pyramid_pooling_2d, distinct(1, 2, 5, 4), pyramid_height=2, pooling="max"),
    row(
        F.roi_pooling_2d,
        IMAGE,
        fixed([[0, 1, 1, 6, 6], [1, 6, 2, 7, 11], [0, 3, 1, 5, 10]], "f"),
        note="f",
        dtypes="f",
        outh=3,
        outw=2,
        spatial_scale=0.5,
    ),
    *(regions(function, **ROI) for function in (F.roi_average_pooling_2d, F.roi_max_pooling_2d)),
    *(regions(function, **ROI) for function in (F.roi_average_align_2d, F.roi_max_align_2d)),
    *(regions(function, sampling_ratio=2, **ROI) for function in (F.roi_average_align_2d, F.roi_max_align_2d)),
    regions(F.roi_average_align_2d, outsize=2, spatial_scale=1.0, sampling_ratio=(1, 2)),
    case(
        "max_pooling_2d double", lambda x: F.max_pooling_2d(x * x, 2), literal(np.arange(16.0).reshape(1, 1, 4, 4) / 8)
    ),
]
