"""Maxima of an image as a whole, of its quarters, of its sixteenths, ..."""

from __future__ import annotations

from math import prod
from typing import Any

from autodiff.chainer.functions.array.concat import concat
from autodiff.chainer.functions.pooling.max_pooling_nd import max_pooling_2d
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line


def spatial_pyramid_pooling_2d(x: Any, pyramid_height: int, pooling: str | None = None) -> Variable:
    """For each level the maxima of 2^level times 2^level parts of the image, in one row.

    Args:
        x: images (N, C, H, W), floats.
        pyramid_height: the number of levels.
        pooling: ``"max"``.

    Returns:
        (N, C (4^height - 1) / 3, 1, 1): of the same length for all images that are at least 2^(height - 1) wide and
        high.

    Raises:
        ValueError: for another ``pooling``.
        InvalidType: if x are no floats.

    K. He et al., Spatial Pyramid Pooling in Deep Convolutional Networks for Visual Recognition, 2014.

    >>> import numpy as np
    >>> spatial_pyramid_pooling_2d(np.arange(16.0).reshape(1, 1, 4, 4), 2, "max").array.ravel()
    array([15.,  5.,  7., 13., 15.])
    """
    if pooling != "max":
        raise ValueError(f"pooling must be 'max', got {pooling!r}{at_user_line()}")
    levels = [level_maxima(x, 2**level) for level in range(pyramid_height)]
    return concat(levels)


def level_maxima(x: Any, parts: int) -> Any:
    """The maxima of parts times parts pieces, as channels."""
    _, height, width = x.shape[1:]
    size = -(-height // parts), -(-width // parts)
    pad = tuple((k * parts - length) // 2 for k, length in zip(size, (height, width)))
    y = max_pooling_2d(x, size, None, pad, True)
    return y.reshape((y.shape[0], prod(y.shape[1:]), 1, 1))
