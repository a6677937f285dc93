"""The arrays of ``.npz`` files. Loading one runs no code of the file, and takes no more memory than it may."""

from __future__ import annotations

import os
import pickle
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.lib import format as numpy_format

from autodiff.chainer.serializers.loading import check_stored, is_array
from autodiff.chainer.serializers.npy import DamagedError, Header, read_data, read_header
from autodiff.chainer.serializers.pickles import load_plain
from autodiff.trace.source import at_user_line

ROOM, TIMES = 2**30, 16
"""What the object has no array to compare with takes no more bytes altogether than that, and so many times the file."""

PICKLES = 2**26
"""The most bytes of an array of objects."""


class Archive(Mapping[str, Any]):
    """An open ``.npz`` file whose object arrays may hold plain Python objects.

    Args:
        file: the archive.

    Attributes:
        room: how many more bytes may be taken for what the object has no array to compare with.
    """

    def __init__(self, file: zipfile.ZipFile) -> None:
        self.zip = file
        self.names = frozenset(file.namelist())
        self.room = ROOM + TIMES * length_of(file.fp)

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(key)
        return self.read(key, None)

    def read(self, key: str, value: Any) -> np.ndarray[Any, Any]:
        """The array that is stored under a key.

        Args:
            key: its name.
            value: what the object has in its place (see :func:`check_stored`).

        Raises:
            ValueError: if it has another shape, is damaged, or takes more memory than it may.
            TypeError: if its dtype does not fit.
            pickle.UnpicklingError: if it holds other objects than arrays, numbers, texts and None.
        """
        with damaged(key), self.zip.open(self.member(key)) as file:
            header = read_header(file)
            if header.dtype.hasobject:
                return self.checked(key, load_plain(file, PICKLES), header, value)
            check_stored(key, header.shape, header.dtype, value)
            self.take(key, header.size, value)
            return read_data(file, header)

    def checked(self, key: str, stored: Any, header: Header, value: Any) -> np.ndarray[Any, Any]:
        """An array of objects, if it is what its header announces."""
        if type(stored) is not np.ndarray or (stored.shape, stored.dtype) != (header.shape, header.dtype):
            raise pickle.UnpicklingError(f"{key} holds something else than the array that it announces")
        if stored.shape or stored[()] is not None:
            check_stored(key, stored.shape, stored.dtype, value)
        return stored

    def take(self, key: str, size: int, value: Any) -> None:
        """Take note of the memory that an array takes, unless the object has one like it."""
        if is_array(value):
            return
        if size > self.room:
            raise ValueError(
                f"{key} takes {size} bytes, and {self.room} are left for values of unknown size{at_user_line()}: "
                "initialize the object before it is loaded, or, if you trust the file, use load_npz(file, obj, "
                "allow_pickle=True)"
            )
        self.room -= size

    def member(self, key: str) -> str:
        """The name of the file inside of the archive."""
        name = key + ".npy" if key + ".npy" in self.names else key
        method = self.zip.getinfo(name).compress_type
        if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DamagedError("it is compressed in another way than NumPy's files are")
        return name

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and (key in self.names or key + ".npy" in self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(name.removesuffix(".npy") for name in self.zip.namelist())

    def __len__(self) -> int:
        return len(self.names)


@contextmanager
def damaged(key: str) -> Iterator[None]:
    """Errors of reading say which entry cannot be read."""
    try:
        yield
    except DAMAGE as error:
        raise ValueError(f"{key} in the snapshot is damaged: {error}{at_user_line()}") from error


DAMAGE = (
    DamagedError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, OverflowError, UnicodeError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
"""What zipfile raises of files that are none: the last two of encrypted ones, and of unknown versions."""


def length_of(file: Any) -> int:
    """The number of bytes of a file."""
    before = file.tell()
    length: int = file.seek(0, os.SEEK_END)
    file.seek(before)
    return length


def write_archive(file: Any, arrays: dict[str, Any], compression: bool) -> None:
    """Write arrays to an open file, such that Chainer can load it.

    Args:
        file: a file that is open for writing.
        arrays: the arrays by name.
        compression: whether to compress.
    """
    method = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as archive:
        for key, value in arrays.items():
            with archive.open(key + ".npy", "w", force_zip64=True) as member:
                write_array(member, np.asanyarray(value))


def write_array(file: Any, array: np.ndarray[Any, Any]) -> None:
    """Write an array in NumPy's format; objects under the name that NumPy 1, which Chainer needs, has for arrays."""
    if not array.dtype.hasobject:
        numpy_format.write_array(file, array, allow_pickle=False)
        return
    numpy_format.write_array_header_1_0(file, numpy_format.header_data_from_array_1_0(array))
    file.write(pickle.dumps(array, 3).replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n", 1))
