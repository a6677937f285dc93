"""Snapshots in HDF5 files: a group for every part and a dataset for every value. They need ``h5py``."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from autodiff.chainer.serializer import Deserializer, Serializer
from autodiff.chainer.serializers.loading import check_stored, is_array, stored_as
from autodiff.chainer.serializers.npz import as_stored
from autodiff.saving.archive import ROOM, TIMES
from autodiff.trace.source import at_user_line


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
        found = member(self.group, key)
        if found is None and self.strict:
            path = f"{self.group.name}/{key}".lstrip("/")
            raise KeyError(f"{path} is not in the HDF5 file; strict=False leaves such values as they are")
        return found


def member(group: Any, path: str) -> Any:
    """The member of a group at a path; None if there is none.

    Raises:
        ValueError: if it is a link to somewhere else, perhaps another file.
    """
    for name in filter(None, path.split("/")):
        if not isinstance(group, require_h5py().Group) or name not in group:
            return None
        if not isinstance(group.get(name, getlink=True), require_h5py().HardLink):
            raise ValueError(
                f"{name} in the HDF5 file is a link to somewhere else{at_user_line()}; snapshots have none"
            )
        group = group[name]
    return group


def loaded(dataset: Any, value: Any) -> Any:
    """What is stored as a value like the one that the object has."""
    h5py = require_h5py()
    key = dataset.name.lstrip("/")
    if not isinstance(dataset, h5py.Dataset) or dataset.external or dataset.is_virtual:
        raise ValueError(f"{key} in the HDF5 file is no array of its own{at_user_line()}")
    if dataset.shape is None:
        return None
    text = h5py.check_string_dtype(dataset.dtype)
    check_stored(key, dataset.shape, np.dtype(str) if text else dataset.dtype, value)
    check_size(key, dataset, value)
    if text and text.length is None:
        return stored_as(np.asarray(dataset.asstr()[()]), value)
    return stored_as(np.asarray(dataset[()]), value)


def check_size(key: str, dataset: Any, value: Any) -> None:
    """Refuse what is made of neither numbers nor one text, and what takes too much memory.

    Elements that were never written, or are all the same, take no place in a file.
    """
    text = require_h5py().check_string_dtype(dataset.dtype)
    if dataset.dtype.kind not in "biufcS" and not (text and dataset.size == 1):
        raise TypeError(f"{key} in the HDF5 file is neither an array of numbers nor one text{at_user_line()}")
    room = ROOM + TIMES * dataset.file.id.get_filesize()
    if not is_array(value) and dataset.nbytes > room:
        raise ValueError(
            f"{key} takes {dataset.nbytes} bytes, more than {room}{at_user_line()}: initialize the object before it is "
            "loaded"
        )


def load_hdf5(filename: Any, obj: Any) -> None:
    """Load an object from an HDF5 file, also from one that Chainer has saved.

    Args:
        filename: the path.
        obj: anything with a method ``serialize``.

    Raises:
        RuntimeError: if ``h5py`` is not installed.
        KeyError: if a value is not there.
        ValueError: if an array has another shape, lies in another file, or takes more than 1 GiB and 16 times the file
            where the object has no array to compare with.
        TypeError: if a stored dtype does not fit.
    """
    with require_h5py().File(filename, "r") as file:
        HDF5Deserializer(file).load(obj)
