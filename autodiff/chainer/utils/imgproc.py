"""Crops of images."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.backend import get_array_module


def oversample(images: Any, crop_dims: tuple[int, int]) -> Any:
    """Ten crops of each image: the four corners and the middle, and the same mirrored from left to right.

    Args:
        images: (N, C, H, W).
        crop_dims: height and width of the crops.

    Returns:
        (10 N, C, h, w); the crops of an image stand together.

    >>> import numpy as np
    >>> oversample(np.arange(9).reshape(1, 1, 3, 3), (1, 1)).ravel()
    array([0, 2, 6, 8, 4, 0, 2, 6, 8, 4])
    """
    h, w = crop_dims
    down, right = images.shape[2] - h, images.shape[3] - w
    places = [(0, 0), (0, right), (down, 0), (down, right), (down // 2, right // 2)]
    crops = [images[:, :, y : y + h, x : x + w] for y, x in places]
    crops += [crop[:, :, :, ::-1] for crop in crops]
    return get_array_module(images).stack(crops, axis=1).reshape(-1, images.shape[1], h, w)
