"""Snapshots in NumPy's ``.npz`` files: one array per value, named by its path, such as ``predictor/l1/W``."""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff.chainer.serializer import Deserializer, Serializer
from autodiff.chainer.serializers.archive import Archive, write_archive
from autodiff.chainer.serializers.loading import check_stored, stored_as
from autodiff.facade.settings.devices import CPU
from autodiff.trace.source import at_user_line


class DictionarySerializer(Serializer):
    """Saves into a dict of NumPy arrays.

    Args:
        target: the dict; a new one if None.
        path: what every key begins with.

    >>> serializer = DictionarySerializer()
    >>> serializer["l1"]("W", np.ones(2))
    array([1., 1.])
    >>> serializer.target
    {'l1/W': array([1., 1.])}
    """

    def __init__(self, target: dict[str, Any] | None = None, path: str = "") -> None:
        self.target = {} if target is None else target
        self.path = path

    def __getitem__(self, key: str) -> DictionarySerializer:
        return DictionarySerializer(self.target, self.path + key.strip("/") + "/")

    def __call__(self, key: str, value: Any) -> Any:
        self.target[self.path + key.lstrip("/")] = as_stored(value)
        return value


def as_stored(value: Any) -> Any:
    """The value as an array on the CPU; None and texts as arrays without axes."""
    return np.asarray(value) if value is None or isinstance(value, (str, bytes)) else CPU.send(value)


def save_npz(file: Any, obj: Any, compression: bool = True) -> None:
    """Save an object to an ``.npz`` file.

    Args:
        file: a path, which is taken as it is, or a file that is open for writing.
        obj: anything with a method ``serialize``: a link, an optimizer, a trainer.
        compression: whether to compress.
    """
    if isinstance(file, (str, os.PathLike)):
        with open(file, "wb") as opened:
            save_npz(opened, obj, compression)
        return
    write_archive(file, serialize(obj), compression)


def serialize(obj: Any) -> dict[str, Any]:
    """What :func:`save_npz` would write, as a dict of arrays.

    Args:
        obj: anything with a method ``serialize``.
    """
    serializer = DictionarySerializer()
    serializer.save(obj)
    return serializer.target


class NpzDeserializer(Deserializer):
    """Loads from a dict of arrays.

    Args:
        npz: the dict, an :class:`Archive`, or what ``np.load`` gives.
        path: what every key begins with.
        strict: whether a value that is not there is an error; otherwise it keeps what it has.
        ignore_names: values that keep what they have: a key, a function of keys, or a list of these.

    Raises:
        KeyError: if ``strict`` and a value is not there.

    >>> NpzDeserializer({"l1/n": np.array(3)})["l1"]("n", 0)
    3
    """

    def __init__(self, npz: Any, path: str = "", strict: bool = True, ignore_names: Any = None) -> None:
        plain = isinstance(npz, np.lib.npyio.NpzFile) and not npz.allow_pickle and npz.zip is not None
        self.npz = Archive(npz.zip, npz) if plain else npz
        self.path = path
        self.strict = strict
        self.ignore_names = ignore_tests(ignore_names)

    def __getitem__(self, key: str) -> NpzDeserializer:
        return NpzDeserializer(self.npz, self.path + key.strip("/") + "/", self.strict, self.ignore_names)

    def __call__(self, key: str, value: Any) -> Any:
        key = self.path + key.lstrip("/")
        if any(ignored(key) for ignored in self.ignore_names) or not (self.strict or key in self.npz):
            return value
        if key not in self.npz:
            raise KeyError(f"{key} is not a file in the archive; strict=False leaves such values as they are")
        stored = self.npz.read(key, value) if isinstance(self.npz, Archive) else np.asarray(self.npz[key])
        if stored.dtype.hasobject and not stored.shape and stored[()] is None:
            return None
        check_stored(key, stored.shape, stored.dtype, value)
        return stored_as(stored, value)


def ignore_tests(names: Any) -> list[Callable[[str], bool]]:
    """Functions that say of a key whether it is ignored."""
    if names is None:
        return []
    tests = [name.__eq__ if isinstance(name, str) else name for name in listed(names)]
    if not all(map(callable, tests)):
        raise ValueError(
            f"ignore_names is a key, a function of keys, or a list of these, got {names!r}{at_user_line()}"
        )
    return tests


def listed(names: Any) -> list[Any]:
    """One name or several as a list."""
    return list(names) if isinstance(names, (list, tuple, set)) else [names]


def load_npz(
    file: Any,
    obj: Any,
    path: str = "",
    strict: bool = True,
    ignore_names: Any = None,
    *,
    allow_pickle: bool = False,
) -> None:
    """Load an object from an ``.npz`` file, also from one that Chainer has saved.

    Args:
        file: a path, or a file that is open for reading.
        obj: anything with a method ``serialize``.
        path: the part of the snapshot to load, with a slash at its end: ``"updater/model:main/"``.
        strict: whether a value that is not there is an error.
        ignore_names: values that keep what they have: a key, a function of keys, or a list of these.
        allow_pickle: whether the file may contain any Python object. Loading one can run any code.

    Raises:
        KeyError: if ``strict`` and a value is not there.
        ValueError: if an array has another shape, the file is damaged, or values for which the object has no array to
            compare with take more than 1 GiB and 16 times the file.
        TypeError: if a stored dtype does not fit.
        pickle.UnpicklingError: if the file contains other objects than arrays, numbers, texts and None.
    """
    with opened(file, allow_pickle) as npz:
        NpzDeserializer(npz, path, strict, ignore_names).load(obj)


@contextmanager
def opened(file: Any, allow_pickle: bool) -> Iterator[Any]:
    """The open archive: NumPy's, where any object may be loaded."""
    try:
        archive = np.load(file, allow_pickle=True) if allow_pickle else zipfile.ZipFile(file)
    except NO_ARCHIVE as error:
        raise not_an_archive(file) from error
    if not isinstance(archive, (np.lib.npyio.NpzFile, zipfile.ZipFile)):
        raise not_an_archive(file)
    with archive:
        yield Archive(archive) if isinstance(archive, zipfile.ZipFile) else archive


NO_ARCHIVE = (ValueError, EOFError, zipfile.BadZipFile, struct.error, OverflowError, NotImplementedError)
"""What NumPy and zipfile raise of files that are no archives."""


def not_an_archive(file: Any) -> ValueError:
    """The error about a file that is something else."""
    return ValueError(f"{file!r} is not a snapshot of save_npz: it is no .npz archive{at_user_line()}")
