"""Images in files, as arrays of shape (channel, height, width)."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.chainer.datasets.image_files import (
    available,
    channels_first,
    check_pillow,
    labeled,
    lines_of,
    pixels_of,
    read_image,
)
from autodiff.chainer.datasets.zipped_image_dataset import (
    LabeledZippedImageDataset,
    MultiZippedImageDataset,
    ZippedImageDataset,
)
from autodiff.facade.settings.configuration import get_dtype

__all__ = [
    "ImageDataset",
    "LabeledImageDataset",
    "LabeledZippedImageDataset",
    "MultiZippedImageDataset",
    "ZippedImageDataset",
    "available",
]

_read_image_as_array, _postprocess_image, _check_pillow_availability = pixels_of, channels_first, check_pillow
"""What data sets of programs, made after the ones of this module, take from it."""


class ImageDataset(DatasetMixin):
    """Image files.

    Args:
        paths: the paths, or the path of a text file with one path in a line.
        root: the folder in which the paths are.
        dtype: the dtype of the arrays; ``config.dtype`` if None.
    """

    def __init__(self, paths: Any, root: str = ".", dtype: Any = None) -> None:
        self._paths = lines_of(paths)
        self._root = root
        self._dtype = get_dtype(dtype)

    def __len__(self) -> int:
        return len(self._paths)

    def get_example(self, i: int) -> np.ndarray[Any, Any]:
        return read_image(os.path.join(self._root, self._paths[i]), self._dtype)


class LabeledImageDataset(DatasetMixin):
    """Pairs of an image and its label.

    Args:
        pairs: pairs of a path and an integer, or the path of a text file with such a pair in each line.
        root: the folder in which the paths are.
        dtype: the dtype of the arrays; ``config.dtype`` if None.
        label_dtype: the dtype of the labels, which are arrays without axes.
    """

    def __init__(self, pairs: Any, root: str = ".", dtype: Any = None, label_dtype: Any = np.int32) -> None:
        self._pairs = labeled(pairs)
        self._root = root
        self._dtype = get_dtype(dtype)
        self._label_dtype = label_dtype

    def __len__(self) -> int:
        return len(self._pairs)

    def get_example(self, i: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        path, label = self._pairs[i]
        return read_image(os.path.join(self._root, path), self._dtype), np.array(label, dtype=self._label_dtype)
