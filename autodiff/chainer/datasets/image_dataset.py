"""Images in files, as arrays of shape (channel, height, width)."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.facade.configuration import get_dtype
from autodiff.trace.source import at_user_line


def read_image(file: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """The pixels of an image file, of shape (channel, height, width).

    Args:
        file: a path or an open file.
        dtype: the dtype of the result.

    Raises:
        RuntimeError: if Pillow is not installed.
    """
    try:
        pillow = importlib.import_module("PIL.Image")
    except ImportError as error:
        raise RuntimeError(f"image datasets need Pillow{at_user_line()}: pip install pillow") from error
    with pillow.open(file) as image:
        pixels = np.asarray(image, dtype=dtype)
    return pixels[np.newaxis] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


def lines_of(paths: Any) -> list[str]:
    """The paths: as given, or the lines of the text file that is given."""
    if not isinstance(paths, (str, os.PathLike)):
        return list(paths)
    with open(paths) as file:
        return [line.strip() for line in file]


def labeled(pairs: Any) -> list[tuple[str, int]]:
    """Pairs of a path and a label: as given, or the lines of the text file that is given."""
    if not isinstance(pairs, (str, os.PathLike)):
        return list(pairs)
    found: list[tuple[str, int]] = []
    for number, line in enumerate(lines_of(pairs)):
        words = line.split()
        if len(words) != 2:
            raise ValueError(f"line {number} of {pairs} is {line!r}; it must be a path and a label, without spaces")
        found.append((words[0], int(words[1])))
    return found


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
