"""Data in the file format of MNIST: images of 28 by 28 pixels in ten classes."""

from __future__ import annotations

import gzip
import os
import struct
from typing import Any

import numpy as np

from autodiff.chainer.dataset import download
from autodiff.chainer.datasets.arrays import dataset_of, read_arrays, write_arrays
from autodiff.trace.source import at_user_line

UNSIGNED_BYTE = 8


def make_npz(path: str, urls: tuple[str, str]) -> dict[str, Any]:
    """Write downloaded images ``x`` and labels ``y`` to an ``.npz`` file, and return them.

    Args:
        path: the file.
        urls: where the images and the labels are.
    """
    images, labels = (read_idx(download.cached_download(url)) for url in urls)
    return write_arrays(path, {"x": images.reshape(len(images), -1), "y": labels})


def read_idx(path: str) -> np.ndarray[Any, Any]:
    """The bytes of a compressed file: two zeros, the type of byte, the number of axes, their lengths, the data.

    Raises:
        ValueError: if the file is something else.
    """
    with gzip.open(path, "rb") as file:
        zeros, kind, axes = struct.unpack(">HBB", file.read(4))
        if (zeros, kind) != (0, UNSIGNED_BYTE) or axes not in (1, 3):
            raise ValueError(f"{path} is not in the format of MNIST's files; delete it to download it again")
        shape = struct.unpack(f">{axes}I", file.read(4 * axes))
        return np.frombuffer(file.read(), np.uint8).reshape(shape)


def retrieve(folder: str, name: str, urls: tuple[str, str]) -> Any:
    """The arrays ``x`` and ``y`` from the cache, which is filled if need be."""
    path = os.path.join(download.get_dataset_directory(f"pfnet/chainer/{folder}"), name)
    return download.cache_or_load_file(path, lambda new: make_npz(new, urls), read_arrays)


def preprocess_mnist(
    raw: Any, withlabel: bool, ndim: int, scale: float, image_dtype: Any, label_dtype: Any, rgb_format: bool
) -> Any:
    """The dataset of stored arrays.

    Args:
        raw: the arrays ``x`` and ``y``.
        withlabel: whether there are labels; otherwise the result is an array.
        ndim: 1 for flat images, 2 for rows and columns, 3 with a channel before them.
        scale: the value of a white pixel.
        image_dtype: the dtype of the images; ``config.dtype`` if None.
        label_dtype: the dtype of the labels.
        rgb_format: whether there are three equal channels, if ``ndim`` is 3.

    Raises:
        ValueError: if ``ndim`` is something else.
    """
    shapes = {1: (784,), 2: (28, 28), 3: (1, 28, 28)}
    if ndim not in shapes:
        raise ValueError(f"ndim must be 1, 2 or 3 for images of 28 by 28 pixels, got {ndim!r}{at_user_line()}")
    images = raw["x"].reshape(-1, *shapes[ndim])
    if ndim == 3 and rgb_format:
        images = np.repeat(images, 3, axis=1)
    return dataset_of(images, raw["y"] if withlabel else None, scale, image_dtype, label_dtype)
