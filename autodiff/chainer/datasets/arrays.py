"""Images and labels as bytes in ``.npz`` files, and the datasets made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.datasets.tuple_dataset import TupleDataset
from autodiff.facade.settings.configuration import get_dtype


def write_arrays(path: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """Write arrays to a compressed file, and return them."""
    with open(path, "wb") as file:
        np.savez_compressed(file, **arrays)
    return arrays


def read_arrays(path: str) -> dict[str, Any]:
    """The arrays of a file by name."""
    with np.load(path) as npz:
        return dict(npz)


def dataset_of(images: Any, labels: Any, scale: float, image_dtype: Any, label_dtype: Any) -> Any:
    """Images whose bytes become numbers from 0 to ``scale``, with their labels if there are any."""
    images = images.astype(get_dtype(image_dtype))
    images *= scale / 255.0
    return images if labels is None else TupleDataset(images, labels.astype(label_dtype))
