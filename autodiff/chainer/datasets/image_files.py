"""Image files, and lists of them in files."""

from __future__ import annotations

import importlib
import os
from importlib.util import find_spec
from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line

available = find_spec("PIL") is not None
"""Whether images can be read: whether Pillow is installed."""


def read_image(file: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """The pixels of an image file, of shape (channel, height, width).

    Args:
        file: a path or an open file.
        dtype: the dtype of the result.

    Raises:
        RuntimeError: if Pillow is not installed.
    """
    return channels_first(pixels_of(file, dtype))


def pixels_of(file: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """The pixels of an image file as Pillow has them: (height, width, channel), or (height, width) if they are grey.

    Args:
        file: a path or an open file.
        dtype: the dtype of the result.

    Raises:
        RuntimeError: if Pillow is not installed.
    """
    with pillow().open(file) as image:
        return np.asarray(image, dtype=dtype)


def channels_first(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A view of pixels of shape (height, width, channel) or (height, width) with shape (channel, height, width).

    >>> channels_first(np.zeros((2, 3))).shape, channels_first(np.zeros((2, 3, 4))).shape
    ((1, 2, 3), (4, 2, 3))
    """
    return pixels[np.newaxis] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


def pillow() -> Any:
    """The module PIL.Image.

    Raises:
        RuntimeError: if Pillow is not installed.
    """
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise RuntimeError(f"image datasets need Pillow{at_user_line()}: pip install pillow") from error


def check_pillow() -> None:
    """See that images can be read.

    Raises:
        ImportError: if Pillow is not installed.
    """
    if not available:
        raise ImportError(f"PIL cannot be loaded{at_user_line()}. Install Pillow: pip install pillow")


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
