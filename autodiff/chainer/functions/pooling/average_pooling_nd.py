"""The mean of the elements under each window."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.connection.convolution_nd import check_spatial, paddings
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.max_pooling_nd import pooling_geometry
from autodiff.chainer.functions.shown_attributes import always
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.windows import sum_windows
from autodiff.trace.source import at_user_line

Lengths = tuple[int, ...]


def average_pooling_nd(x: Any, ksize: Any, stride: Any = None, pad: Any = 0, pad_value: float | None = 0) -> Variable:
    """y[n, c, p] = the mean of x[n, c, p stride + k - pad] over places k of the window.

    Args:
        x: images (N, C, d_1, ..., d_n), floats.
        ksize: size of the windows: a number, or one for each spatial axis.
        stride: steps between windows; by default they stand side by side.
        pad: width of the border.
        pad_value: 0 for a border of zeros, None for means of the elements of the images alone.

    Returns:
        (N, C, l_1, ..., l_n). A window that sees nothing but border gives 0.

    Raises:
        InvalidType: if x are no floats.
        ValueError: for another ``pad_value``, or if x has no spatial axis.
        AssertionError: if the window does not fit into the padded images.

    >>> average_pooling_nd(np.array([[[1.0, 3.0, 2.0]]]), 2, pad=1, pad_value=None)
    variable([[[1. , 2.5]]])
    """
    shape, stride, pad = pooling_geometry(x, ksize, stride, pad)
    if pad_value is not None and pad_value != 0:
        raise ValueError(f"pad_value must be 0 or None, got {pad_value}{at_user_line()}")
    mean = averaging(shape, stride, pad, pad_value is None)
    return apply("AveragePoolingND", mean, (x,), check=lambda *in_types: in_types[0].dtype.kind == "f")


def averaging(shape: Lengths, stride: Lengths, pad: Lengths, only_inside: bool) -> Callable[[Any], Any]:
    """The function of arrays. Sums of float16 are taken in float32."""

    def summed(x: Any, lengths: Lengths) -> Any:
        widths = paddings(lengths, shape, stride, pad, False, (1,) * len(shape))
        padded = np.pad(x, ((0, 0), (0, 0), *widths)) if any(map(any, widths)) else x
        return sum_windows(padded, shape=shape, stride=stride)

    def mean(x: Any) -> Any:
        lengths = x.shape[2:]
        short = x.dtype == np.float16
        total = summed(x.astype(np.float32) if short else x, lengths)
        if only_inside:
            count = np.maximum(summed(beside(x, np.ones((1, 1, *lengths))), lengths), 1)
            y = total / count.astype(total.dtype)
        else:
            y = total * (1 / prod(shape))
        return y.astype(x.dtype) if short else y

    return mean


def average_pooling_1d(x: Any, ksize: Any, stride: Any = None, pad: Any = 0, pad_value: float | None = 0) -> Variable:
    """:func:`average_pooling_nd` of images with one spatial axis.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 1)
    return average_pooling_nd(x, ksize, stride, pad, pad_value)


def average_pooling_3d(x: Any, ksize: Any, stride: Any = None, pad: Any = 0, pad_value: float | None = 0) -> Variable:
    """:func:`average_pooling_nd` of images with three spatial axes.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 3)
    return average_pooling_nd(x, ksize, stride, pad, pad_value)


AveragePoolingND = function_class(
    "AveragePoolingND",
    lambda x, ksize, ndim, stride, pad, cover_all, pad_value: average_pooling_nd(x, ksize, stride, pad, pad_value),
    "ndim, ksize, stride=None, pad=0, cover_all=False, pad_value=0",
    computed={
        "ksize": lambda self: self.shape,
        "ndim": lambda self: len(self.shape),
        "pad_value": lambda self: None if self.only_inside else 0,
        "width": always(None),
        "cover_all": always(False),
        "return_indices": always(False),
    },
)
