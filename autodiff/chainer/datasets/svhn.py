"""SVHN: house numbers in photographs of streets."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from autodiff.chainer.dataset import download
from autodiff.chainer.datasets.arrays import dataset_of, read_arrays, write_arrays

URL = "http://ufldl.stanford.edu/housenumbers/{}_32x32.mat"


def get_svhn(
    withlabel: bool = True,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    add_extra: bool = False,
) -> tuple[Any, ...]:
    """The training and the test set: digits of house numbers, 73257 and 26032 images of shape (3, 32, 32).

    Args:
        withlabel: whether examples are pairs of an image and a label; otherwise the sets are arrays of images.
        scale: the value of the brightest pixel; the darkest is 0.
        dtype: the dtype of the images; ``config.dtype`` if None.
        label_dtype: the dtype of the labels.
        add_extra: whether a third set of 531131 simpler images is returned too.

    Raises:
        OSError: if the files are not in the cache and cannot be downloaded.
    """
    parts = ("train", "test", "extra") if add_extra else ("train", "test")
    return tuple(preprocess(retrieve(part), withlabel, scale, dtype, label_dtype) for part in parts)


def preprocess(raw: Any, withlabel: bool, scale: float, image_dtype: Any, label_dtype: Any) -> Any:
    """The dataset of stored arrays."""
    images = raw["x"].transpose(3, 2, 0, 1)
    labels = raw["y"].flatten() % 10 if withlabel else None  # the files call the digit 0 "10"
    return dataset_of(images, labels, scale, image_dtype, label_dtype)


def retrieve(part: str) -> Any:
    """The arrays ``x`` and ``y`` from the cache, which is filled if need be."""
    path = os.path.join(download.get_dataset_directory("pfnet/chainer/svhn"), part + ".npz")
    return download.cache_or_load_file(path, lambda new: make_npz(new, URL.format(part)), read_arrays)


def make_npz(path: str, url: str) -> dict[str, Any]:
    """Write the downloaded arrays to an ``.npz`` file, and return them."""
    import scipy.io  # noqa: PLC0415 - takes as long to import as all of Chainer's names

    raw = scipy.io.loadmat(download.cached_download(url))
    return write_arrays(path, {"x": raw["X"], "y": raw["y"]})
