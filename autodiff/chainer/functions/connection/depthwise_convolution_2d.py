"""Convolution of each channel by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.connection.convolution_2d import convolution_2d
from autodiff.facade import Variable


def depthwise_convolution_2d(x: Any, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0) -> Variable:
    """Each channel under its own D kernels: :func:`convolution_2d` with as many groups as there are channels.

    Args:
        x: images (N, C, h_I, w_I).
        W: kernels (D, C, h_K, w_K).
        b: bias (C D,).
        stride: steps between kernel positions.
        pad: width of the zeros around the images.

    Returns:
        (N, C D, h_O, w_O); the D results of one channel stand together.

    >>> depthwise_convolution_2d(np.arange(4.0).reshape(1, 2, 1, 2), np.array([[[[1.0]], [[10.0]]]])).array.ravel()
    array([ 0.,  1., 20., 30.])
    """
    multiplier, channels, *kernel = W.shape
    kernels = np.transpose(W, (1, 0, 2, 3)).reshape((multiplier * channels, 1, *kernel))
    return convolution_2d(x, kernels, b, stride, pad, groups=channels)
