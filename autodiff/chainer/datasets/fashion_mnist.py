"""Fashion-MNIST: pieces of clothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.datasets._mnist_helper import make_npz, preprocess_mnist, retrieve

__all__ = ["get_fashion_mnist", "get_fashion_mnist_labels", "make_npz"]

TRAIN_URLS = (
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/train-images-idx3-ubyte.gz",
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/train-labels-idx1-ubyte.gz",
)
TEST_URLS = (
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/t10k-images-idx3-ubyte.gz",
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/t10k-labels-idx1-ubyte.gz",
)

LABELS = [
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
]


def get_fashion_mnist(
    withlabel: bool = True,
    ndim: int = 1,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    rgb_format: bool = False,
) -> tuple[Any, Any]:
    """The training and the test set: pieces of clothing, 60000 and 10000 images of 28 by 28 pixels.

    Args:
        withlabel: whether examples are pairs of an image and a label; otherwise the sets are arrays of images.
        ndim: 1 for flat images, 2 for rows and columns, 3 with a channel before them.
        scale: the value of a white pixel; black is 0.
        dtype: the dtype of the images; ``config.dtype`` if None.
        label_dtype: the dtype of the labels.
        rgb_format: whether there are three equal channels, if ``ndim`` is 3.

    Raises:
        OSError: if the files are not in the cache and cannot be downloaded.
        ValueError: if ``ndim`` is something else.
    """
    raws = retrieve("fashion-mnist", "train.npz", TRAIN_URLS), retrieve("fashion-mnist", "test.npz", TEST_URLS)
    train, test = (preprocess_mnist(raw, withlabel, ndim, scale, dtype, label_dtype, rgb_format) for raw in raws)
    return train, test


def get_fashion_mnist_labels() -> list[str]:
    """The names of the ten classes."""
    return list(LABELS)
