"""Windows of images as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import pairs
from autodiff.chainer.utils.conv import get_conv_outsize
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable

Pair = int | tuple[int, int]


def im2col(x: Any, ksize: Pair, stride: Pair = 1, pad: Pair = 0, cover_all: bool = False, dilate: Pair = 1) -> Variable:
    """The windows that a convolution would multiply, as columns.

    Args:
        x: images, floating-point numbers of shape (batch, channels, height, width).
        ksize: height and width of a window.
        stride: how far apart windows are.
        pad: how many zeros are added on each side.
        cover_all: whether windows reach over the margin so that each pixel is in one.
        dilate: how far apart the pixels of one window are.

    Returns:
        an array of shape (batch, channels * kernel height * kernel width, rows, columns).

    Raises:
        InvalidType: if the shape or the dtype does not fit.

    >>> im2col(np.arange(9.0).reshape(1, 1, 3, 3), 2).array[0, :, 0, 0]
    array([0., 1., 3., 4.])
    """
    sizes, steps, margins, gaps = (pair(value) for value in (ksize, stride, pad, dilate))

    def fun(x: Any) -> Any:
        spans = [gap * (size - 1) + 1 for size, gap in zip(sizes, gaps, strict=True)]
        counts = [
            get_conv_outsize(x.shape[k + 2], sizes[k], steps[k], margins[k], cover_all, gaps[k]) for k in range(2)
        ]
        behind = [max((counts[k] - 1) * steps[k] + spans[k] - x.shape[k + 2] - margins[k], 0) for k in range(2)]
        padded = np.pad(x, ((0, 0), (0, 0), (margins[0], behind[0]), (margins[1], behind[1])))
        windows = sliding_window_view(padded, spans, axis=(2, 3))
        windows = windows[:, :, :: steps[0], :: steps[1], :: gaps[0], :: gaps[1]][:, :, : counts[0], : counts[1]]
        columns = np.transpose(windows, (0, 1, 4, 5, 2, 3))
        return np.reshape(columns, (x.shape[0], -1, *counts))

    return apply("Im2Col", fun, (x,), lambda x: (x.dtype.kind == "f", x.ndim == 4))


def pair(value: Pair) -> tuple[int, int]:
    """One number for both axes, or two."""
    return value if isinstance(value, tuple) else (value, value)


Im2Col = function_class(
    "Im2Col",
    im2col,
    "ksize, stride, pad, cover_all, dilate",
    computed={**pairs(k="sizes", s="steps", p="margins"), **pairs(d="gaps")},
)
