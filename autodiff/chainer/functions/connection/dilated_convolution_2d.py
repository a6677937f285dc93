"""Convolution with gaps between the pixels under the kernel."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import convolution_2d
from autodiff.facade import Variable


def dilated_convolution_2d(
    x: Any, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0, dilate: Any = 1, cover_all: bool = False
) -> Variable:
    """:func:`convolution_2d` with ``dilate`` as an argument of its own.

    >>> import numpy as np
    >>> dilated_convolution_2d(np.arange(9.0).reshape(1, 1, 3, 3), np.ones((1, 1, 2, 2)), dilate=2)
    variable([[[[16.]]]])
    """
    return convolution_2d(x, W, b, stride, pad, cover_all, dilate=dilate)
