"""CIFAR-10 and CIFAR-100: small colour photographs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.chainer.dataset import download
from autodiff.chainer.datasets.arrays import dataset_of, read_arrays, write_arrays
from autodiff.chainer.serializers.pickles import load_plain
from autodiff.trace.source import at_user_line

if TYPE_CHECKING:
    import tarfile

CIFAR10_URL = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
CIFAR100_URL = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"

LARGEST = 2**28
"""The most bytes of a file of images and labels."""

CIFAR10_FILES = {
    "train": [f"cifar-10-batches-py/data_batch_{number}" for number in range(1, 6)],
    "test": ["cifar-10-batches-py/test_batch"],
}
CIFAR100_FILES = {"train": ["cifar-100-python/train"], "test": ["cifar-100-python/test"]}


def get_cifar10(withlabel: bool = True, ndim: int = 3, scale: float = 1.0, dtype: Any = None) -> tuple[Any, Any]:
    """The training and the test set: 50000 and 10000 photographs of 32 by 32 pixels in ten classes.

    Args:
        withlabel: whether examples are pairs of an image and an int32 label; otherwise the sets are arrays of images.
        ndim: 3 for images of shape (3, 32, 32), 1 for flat ones.
        scale: the value of the brightest pixel; the darkest is 0.
        dtype: the dtype of the images; ``config.dtype`` if None.

    Raises:
        OSError: if the file is not in the cache and cannot be downloaded.
        ValueError: if ``ndim`` is something else.
    """
    raw = retrieve("cifar-10.npz", CIFAR10_URL, CIFAR10_FILES, b"labels")
    train, test = (preprocess(raw, part, withlabel, ndim, scale, dtype) for part in ("train", "test"))
    return train, test


def get_cifar100(withlabel: bool = True, ndim: int = 3, scale: float = 1.0, dtype: Any = None) -> tuple[Any, Any]:
    """The training and the test set: 50000 and 10000 photographs of 32 by 32 pixels in a hundred classes.

    Args:
        withlabel: whether examples are pairs of an image and an int32 label; otherwise the sets are arrays of images.
        ndim: 3 for images of shape (3, 32, 32), 1 for flat ones.
        scale: the value of the brightest pixel; the darkest is 0.
        dtype: the dtype of the images; ``config.dtype`` if None.

    Raises:
        OSError: if the file is not in the cache and cannot be downloaded.
        ValueError: if ``ndim`` is something else.
    """
    raw = retrieve("cifar-100.npz", CIFAR100_URL, CIFAR100_FILES, b"fine_labels")
    train, test = (preprocess(raw, part, withlabel, ndim, scale, dtype) for part in ("train", "test"))
    return train, test


def preprocess(raw: Any, part: str, withlabel: bool, ndim: int, scale: float, dtype: Any) -> Any:
    """The dataset of the stored arrays of one part."""
    if ndim not in (1, 3):
        raise ValueError(f"ndim must be 1 or 3 for CIFAR's images, got {ndim!r}{at_user_line()}")
    images = raw[part + "_x"]
    images = images.reshape(len(images), 3, 32, 32) if ndim == 3 else images
    return dataset_of(images, raw[part + "_y"] if withlabel else None, scale, dtype, np.int32)


def retrieve(name: str, url: str, files: dict[str, list[str]], labels: bytes) -> Any:
    """The arrays ``train_x``, ``train_y``, ``test_x`` and ``test_y`` from the cache, which is filled if need be."""
    path = os.path.join(download.get_dataset_directory("pfnet/chainer/cifar"), name)
    return download.cache_or_load_file(path, lambda new: make_npz(new, url, files, labels), read_arrays)


def make_npz(path: str, url: str, files: dict[str, list[str]], labels: bytes) -> dict[str, Any]:
    """Write the downloaded arrays to an ``.npz`` file, and return them."""
    import tarfile  # noqa: PLC0415 - many programs read no archive

    arrays = {}
    with tarfile.open(download.cached_download(url), "r:gz") as archive:
        for part, names in files.items():
            batches = list(read_batches(archive, names))
            arrays[part + "_x"] = np.concatenate([batch[b"data"] for batch in batches])
            arrays[part + "_y"] = np.concatenate([np.array(batch[labels], np.uint8) for batch in batches])
    return write_arrays(path, arrays)


def read_batches(archive: tarfile.TarFile, names: list[str]) -> Iterator[dict[bytes, Any]]:
    """The dicts of images and labels in the files of those names."""
    for name in names:
        file = archive.extractfile(name)
        if file is None:
            raise ValueError(f"the downloaded archive has no file {name}; delete it to download it again")
        yield {as_bytes(key): value for key, value in load_plain(file, LARGEST, texts_are_bytes=True).items()}


def as_bytes(key: str | bytes) -> bytes:
    """A key as bytes: Python 2 wrote bytes, Python 3 writes text."""
    return key.encode() if isinstance(key, str) else key
