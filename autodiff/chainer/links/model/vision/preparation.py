"""Photographs as the arrays that networks were trained on."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.facade import as_array
from autodiff.facade.settings.configuration import get_dtype
from autodiff.trace.source import at_user_line


def prepared(image: Any, size: tuple[int, int] | None, mean: Sequence[float]) -> Any:
    """Channels blue, green, red of an image, less their means over all photographs.

    Args:
        image: an image of Pillow, or an array (3, H, W), (1, H, W), (H, W) or (H, W, 3) of numbers from 0 to 255.
        size: width and height of the result; None to keep those of the image.
        mean: the means of blue, green and red.

    Returns:
        (3, height, width), of the dtype ``chainer.config.dtype``.

    Raises:
        ImportError: if Pillow is not installed.
    """
    picture = as_picture(as_array(image)).convert("RGB")
    if size:
        picture = picture.resize(size)
    pixels = np.asarray(picture, dtype=get_dtype())[:, :, ::-1]
    return (pixels - np.array(mean, pixels.dtype)).transpose(2, 0, 1)


def as_picture(image: Any) -> Any:
    """An image of Pillow."""
    try:
        pillow = importlib.import_module("PIL.Image")
    except ImportError as error:
        raise ImportError(f"images are prepared by Pillow{at_user_line()}: pip install pillow") from error
    if hasattr(image, "convert"):
        return image
    pixels = np.asarray(image)
    if pixels.ndim == 3 and pixels.shape[0] in (1, 3):
        pixels = pixels[0] if pixels.shape[0] == 1 else pixels.transpose(1, 2, 0)
    if pixels.ndim not in (2, 3) or pixels.dtype.kind not in "uif":
        raise TypeError(f"an image of Pillow or an array (3, H, W) is needed, got {image!r}{at_user_line()}")
    return pillow.fromarray(pixels.astype(np.uint8))
