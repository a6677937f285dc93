"""The largest pixel under each window; a case of :func:`max_pooling_nd`.

Chainer 2 to 6 had a class of its own for images.
"""

from __future__ import annotations

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.max_pooling_nd import MaxPoolingND, max_pooling_2d
from autodiff.chainer.functions.pooling.pooling_2d import WINDOW

__all__ = ["MaxPooling2D", "max_pooling_2d"]

MaxPooling2D = function_class(
    "MaxPooling2D",
    lambda x, return_indices, **given: max_pooling_2d(x, **given),
    "ksize, stride=None, pad=0, cover_all=True, return_indices=False",
    label="MaxPoolingND",
    called=True,
    computed={**MaxPoolingND.computed, **WINDOW},
    base=MaxPoolingND,
)
