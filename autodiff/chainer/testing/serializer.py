"""Objects that go through a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from autodiff.chainer.serializers import load_hdf5, load_npz, save_hdf5, save_npz
from autodiff.chainer.utils.tempdirs import tempdir


def save_and_load(
    src: Any, dst: Any, filename: str, saver: Callable[[str, Any], Any], loader: Callable[[str, Any], Any]
) -> None:
    """Save an object, and load another one from the file.

    Args:
        src: what is saved.
        dst: what is loaded.
        filename: name of the file, in a folder of its own.
        saver: called with the path and ``src``.
        loader: called with the path and ``dst``.
    """
    with tempdir() as folder:
        path = os.path.join(folder, filename)
        saver(path, src)
        loader(path, dst)


def save_and_load_npz(src: Any, dst: Any) -> None:
    """Save an object as NPZ file, and load another one from it.

    Args:
        src: what is saved.
        dst: what is loaded.
    """
    save_and_load(src, dst, "tmp.npz", save_npz, load_npz)


def save_and_load_hdf5(src: Any, dst: Any) -> None:
    """Save an object as HDF5 file, and load another one from it.

    Args:
        src: what is saved.
        dst: what is loaded.
    """
    save_and_load(src, dst, "tmp.h5", save_hdf5, load_hdf5)
