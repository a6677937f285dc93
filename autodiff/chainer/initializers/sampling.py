"""Filters that interpolate linearly: weights of convolutions that change the size of images."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.initializer import Initializer
from autodiff.trace.source import at_user_line


class _SamplingFilter(Initializer):
    _upsampling: bool

    def __init__(self, upsampling: bool = True, interpolation: str = "linear", dtype: Any = None) -> None:
        if interpolation != "linear":
            raise ValueError(
                f"Unsupported interpolation method: {interpolation}{at_user_line()}; only 'linear' is there"
            )
        super().__init__(dtype)
        self._upsampling = upsampling

    def __call__(self, array: Any) -> None:
        self._check_dtype(array)
        check_shape(type(self).__name__, array.shape)
        outputs, inputs, size, *_ = array.shape
        window = get_array_module(array).asarray(linear_filter(size, array.ndim - 2, self._upsampling))
        array[...] = 0
        if inputs == 1:
            array[...] = window
        else:
            for channel in range(outputs):
                array[channel, channel] = window


class UpsamplingDeconvFilter(_SamplingFilter):
    """Weights with which a deconvolution enlarges each channel by linear interpolation.

    An enlargement by ``s`` has the kernel size ``2 * s - s % 2``, the stride ``s`` and the padding ``s // 2``. The
    shape of the weight is ``(channels, channels, *kernel)``, or ``(channels, 1, *kernel)`` with as many groups.

    Args:
        interpolation: ``"linear"``.
        dtype: the dtype of the arrays to be made for it.

    Raises:
        ValueError: for another interpolation or another shape.

    J. Long, E. Shelhamer, T. Darrell, Fully Convolutional Networks for Semantic Segmentation, 2015.

    >>> array = np.empty((1, 1, 4))
    >>> UpsamplingDeconvFilter()(array)
    >>> array
    array([[[0.25, 0.75, 0.75, 0.25]]])
    """

    def __init__(self, interpolation: str = "linear", dtype: Any = None) -> None:
        super().__init__(True, interpolation, dtype)


class DownsamplingConvFilter(_SamplingFilter):
    """Weights with which a convolution makes each channel smaller; each filter sums to 1.

    Args:
        interpolation: ``"linear"``.
        dtype: the dtype of the arrays to be made for it.

    Raises:
        ValueError: for another interpolation or another shape.

    >>> array = np.empty((1, 1, 4))
    >>> DownsamplingConvFilter()(array)
    >>> array
    array([[[0.125, 0.375, 0.375, 0.125]]])
    """

    def __init__(self, interpolation: str = "linear", dtype: Any = None) -> None:
        super().__init__(False, interpolation, dtype)


def check_shape(name: str, shape: tuple[int, ...]) -> None:
    """Refuse what is no weight of channels that do not mix."""
    if len(shape) < 3 or shape[1] not in (1, shape[0]):
        raise ValueError(
            f"{name} fills weights (channels, channels, *kernel) or (channels, 1, *kernel), got shape {shape}"
            f"{at_user_line()}"
        )
    if len(set(shape[2:])) > 1:
        raise ValueError(f"ksize must be all same: {' != '.join(map(str, shape[2:]))}{at_user_line()}")


def linear_filter(size: int, ndim: int, upsampling: bool) -> Any:
    """The product over ``ndim`` axes of triangles of ``size`` points."""
    half = (size + 1) // 2
    center = half - 1 if size % 2 else half - 0.5
    triangle = 1 - np.abs(np.arange(size) - center) / half
    if not upsampling:
        triangle /= triangle.sum()
    return reduce(np.multiply.outer, [triangle] * ndim)
