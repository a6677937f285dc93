"""The arrays of ``.npz`` files. Loading one runs no code of the file, and takes no more memory than it may."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.lib import format as numpy_format

from autodiff.saving.npy import DamagedError, Header, read_data, read_header
from autodiff.trace.source import at_user_line

ROOM, TIMES = 2**30, 16
"""What there is no array to compare with takes no more bytes altogether than that, and so many times the file."""

Check = Callable[[tuple[int, ...], np.dtype[Any]], None]
"""Refuses a shape and dtype that a file announces."""


class Archive(Mapping[str, Any]):
    """An open ``.npz`` file.

    Args:
        file: the archive.
        owner: what closes it as soon as nobody holds the owner any more.

    Attributes:
        room: how many more bytes may be taken for what there is no array to compare with.
    """

    def __init__(self, file: zipfile.ZipFile, owner: Any = None) -> None:
        self.zip = file
        self.owner = owner
        self.names = frozenset(file.namelist())
        self.room = ROOM + TIMES * length_of(file.fp)

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(key)
        return self.read_checked(key, None)

    def read_checked(self, key: str, check: Check | None) -> np.ndarray[Any, Any]:
        """The array that is stored under a key.

        Args:
            key: its name.
            check: what its shape and dtype have to pass before it is unpacked; None where nothing is known of them, and
                only its size is looked at.

        Raises:
            ValueError: if it is damaged, or takes more memory than it may.
            TypeError: if it holds Python objects.
        """
        with damaged(key), self.zip.open(self.member(key)) as file:
            header = read_header(file)
            if header.dtype.hasobject:
                return self.read_objects(key, file, header)
            if check is None:
                self.take(key, header.size)
            else:
                check(header.shape, header.dtype)
            return read_data(file, header)

    def read_objects(self, key: str, file: Any, header: Header) -> np.ndarray[Any, Any]:
        """An array of Python objects, which are refused."""
        raise TypeError(f"{key} holds Python objects{at_user_line()}, which only a pickle could restore")

    def take(self, key: str, size: int) -> None:
        """Take note of the memory that an array takes.

        Raises:
            ValueError: if there is no more room.
        """
        if size > self.room:
            raise ValueError(self.no_room(key, size))
        self.room -= size

    def no_room(self, key: str, size: int) -> str:
        """The text about an array that is too large."""
        return (
            f"{key} takes {size} bytes, and {self.room} are left for values of unknown size{at_user_line()}: give a "
            "template, with which shapes are compared first"
        )

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
    NotImplementedError, RuntimeError, OSError,
)  # fmt: skip
"""What zipfile raises of files that are none: the last three of encrypted ones, of unknown versions, and of places
before the beginning of the file."""


def length_of(file: Any) -> int:
    """The number of bytes of a file."""
    before = file.tell()
    length: int = file.seek(0, os.SEEK_END)
    file.seek(before)
    return length


def write_plain(file: Any, array: np.ndarray[Any, Any]) -> None:
    """Write an array in NumPy's format; Python objects are refused."""
    numpy_format.write_array(file, array, allow_pickle=False)


def write_archive(
    file: Any, arrays: Mapping[str, Any], compression: bool, write: Callable[[Any, Any], None] = write_plain
) -> None:
    """Write arrays to an open file, such that NumPy and Chainer can load it.

    Args:
        file: a file that is open for writing.
        arrays: the arrays by name.
        compression: whether to compress.
        write: writes one array.
    """
    method = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as archive:
        for key, value in arrays.items():
            with archive.open(key + ".npy", "w", force_zip64=True) as member:
                write(member, np.asanyarray(value))
