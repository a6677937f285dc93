"""Snapshots in HDF5 files: a group for every part and a dataset for every value. They need ``h5py``."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from autodiff.chainer.serializer import Deserializer, Serializer
from autodiff.chainer.serializers.loading import stored_as
from autodiff.chainer.serializers.npz import as_stored


def require_h5py() -> Any:
    """The module ``h5py``.

    Raises:
        RuntimeError: if it is not installed.
    """
    try:
        return importlib.import_module("h5py")
    except ImportError as error:
        raise RuntimeError("HDF5 files need h5py; install it with: pip install 'autodiff[hdf5]'") from error


class HDF5Serializer(Serializer):
    """Saves into a group of an HDF5 file.

    Args:
        group: the group, or the file.
        compression: the level of gzip, 0 to 9.

    None is a dataset without a shape. Texts are HDF5's own.
    """

    def __init__(self, group: Any, compression: int = 4) -> None:
        require_h5py()
        self.group = group
        self.compression = compression

    def __getitem__(self, key: str) -> HDF5Serializer:
        return HDF5Serializer(self.group.require_group(key.strip("/")), self.compression)

    def __call__(self, key: str, value: Any) -> Any:
        data, more = self.encoded(value)
        self.group.create_dataset(key.lstrip("/"), data=data, **more)
        return value

    def encoded(self, value: Any) -> tuple[Any, dict[str, Any]]:
        """What h5py stores, and how."""
        h5py = require_h5py()
        if value is None:
            return h5py.Empty("f"), {}
        if isinstance(value, str):
            return value, {"dtype": h5py.string_dtype()}
        array = np.asarray(as_stored(value))
        return array, {"compression": self.compression} if array.ndim and array.size else {}


def save_hdf5(filename: Any, obj: Any, compression: int = 4) -> None:
    """Save an object to an HDF5 file.

    Args:
        filename: the path.
        obj: anything with a method ``serialize``.
        compression: the level of gzip, 0 to 9.

    Raises:
        RuntimeError: if ``h5py`` is not installed.
    """
    with require_h5py().File(filename, "w") as file:
        HDF5Serializer(file, compression).save(obj)


class HDF5Deserializer(Deserializer):
    """Loads from a group of an HDF5 file.

    Args:
        group: the group, or the file; None for a part that is not there.
        strict: whether a value that is not there is an error; otherwise it keeps what it has.

    Raises:
        KeyError: if ``strict`` and a value or a part is not there.
    """

    def __init__(self, group: Any, strict: bool = True) -> None:
        require_h5py()
        self.group = group
        self.strict = strict

    def __getitem__(self, key: str) -> HDF5Deserializer:
        return HDF5Deserializer(self.found(key.strip("/")), self.strict)

    def __call__(self, key: str, value: Any) -> Any:
        dataset = self.found(key.lstrip("/"))
        return value if dataset is None else loaded(dataset, value)

    def found(self, key: str) -> Any:
        """The member of the group, None where it may be missing."""
        if self.group is None:
            return None
        if key in self.group:
            return self.group[key]
        if self.strict:
            path = f"{self.group.name}/{key}".lstrip("/")
            raise KeyError(f"{path} is not in the HDF5 file; strict=False leaves such values as they are")
        return None


def loaded(dataset: Any, value: Any) -> Any:
    """What is stored as a value like the one that the object has."""
    stored = decoded(dataset)
    return None if stored is None else stored_as(dataset.name.lstrip("/"), stored, value)


def decoded(dataset: Any) -> np.ndarray[Any, Any] | None:
    """The dataset as an array; None for the one without a shape."""
    h5py = require_h5py()
    if dataset.shape is None:
        return None
    text = h5py.check_string_dtype(dataset.dtype)
    return np.asarray(dataset.asstr()[()] if text is not None and text.length is None else dataset[()])


def load_hdf5(filename: Any, obj: Any) -> None:
    """Load an object from an HDF5 file, also from one that Chainer has saved.

    Args:
        filename: the path.
        obj: anything with a method ``serialize``.

    Raises:
        RuntimeError: if ``h5py`` is not installed.
        KeyError: if a value is not there.
        ValueError: if an array has another shape.
    """
    with require_h5py().File(filename, "r") as file:
        HDF5Deserializer(file).load(obj)
