"""What an ``.npy`` file says of its array, read as data: nothing of it becomes a dtype but a code of a few letters."""

from __future__ import annotations

import re
import sys
from math import prod
from typing import Any, NamedTuple

import numpy as np

from autodiff.trace.spec import sound_shape

MAGIC = b"\x93NUMPY"
LENGTH_BYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}
LONGEST = 10_000
"""The most characters of a header, as for NumPy."""

CODE = re.compile(r"([<>|=]?)([biufcSU][0-9]{1,9}|\?|O)")
ITEM = r"""['"](descr|fortran_order|shape)['"]\s*:\s*('[^'\\]*'|"[^"\\]*"|True|False|\([\s0-9L,]*\))\s*"""
HEADER = re.compile(rf"\s*\{{\s*{ITEM},\s*{ITEM},\s*{ITEM},?\s*\}}\s*")

CHUNK = 2**20


class DamagedError(ValueError):
    """A file that is not what it should be."""


class Header(NamedTuple):
    """What a file says of its array.

    Attributes:
        shape: of the array.
        dtype: of its elements: numbers, texts or objects.
        columns_first: whether elements are in Fortran's order.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    columns_first: bool

    @property
    def size(self) -> int:
        """The number of bytes of the elements."""
        return prod(self.shape) * self.dtype.itemsize


def read_header(file: Any) -> Header:
    """The header of a file, which is read up to its data.

    Raises:
        DamagedError: if it is none, or that of an array with fields.
    """
    start = exactly(file, len(MAGIC) + 2)
    width = LENGTH_BYTES.get((start[-2], start[-1]))
    if not start.startswith(MAGIC) or width is None:
        raise DamagedError("it is no .npy file of a known version")
    length = int.from_bytes(exactly(file, width), "little")
    if length > LONGEST:
        raise DamagedError(f"its header has {length} characters; {LONGEST} are the most")
    return parsed(exactly(file, length).decode("latin1"))


def parsed(text: str) -> Header:
    """The facts in the text of a header."""
    match = HEADER.fullmatch(text)
    facts = dict(zip(match.groups()[::2], match.groups()[1::2], strict=True)) if match else {}
    if len(facts) != 3 or not facts["shape"].startswith("(") or facts["fortran_order"] not in ("True", "False"):
        raise DamagedError(f"its header {text.strip()[:80]!r} is not that of an array of numbers, texts or objects")
    shape = tuple(int(length.rstrip("L")) for length in re.findall(r"[0-9]+L?", facts["shape"]))
    dtype = dtype_of(facts["descr"][1:-1])
    if not sound_shape(shape, max(dtype.itemsize, 1)):
        raise DamagedError(f"there is no array of shape {shape}")
    return Header(shape, dtype, facts["fortran_order"] == "True")


def dtype_of(code: str) -> np.dtype[Any]:
    """The dtype of numbers, texts or objects that a code stands for."""
    match = CODE.fullmatch(code)
    if match is None:
        raise DamagedError(f"{code!r} is no dtype of numbers, texts or objects")
    order, kind = match.groups()
    try:
        native = np.dtype(kind)
        found = in_order(native, order or "=")
    except TypeError as error:
        raise DamagedError(f"{code!r} is no dtype: {error}") from None
    if not found.itemsize:  # NumPy makes one byte of none when it makes an array
        raise DamagedError(f"{code!r} is the dtype of nothing")
    return native if found == native else found  # NumPy's own object, which is recognised by its identity


def in_order(dtype: np.dtype[Any], order: Any) -> np.dtype[Any]:
    """A dtype in a byte order, which NumPy writes as <, >, = or |."""
    return dtype.newbyteorder(order)


def read_data(file: Any, header: Header) -> np.ndarray[Any, Any]:
    """The array behind a header, of numbers or texts.

    Raises:
        DamagedError: if the file ends before the array does.
    """
    flat = np.empty(prod(header.shape), header.dtype)
    room = flat.view(np.uint8) if flat.nbytes else np.empty(0, np.uint8)
    for start in range(0, len(room), CHUNK):
        part = room[start : start + CHUNK]
        part[:] = np.frombuffer(exactly(file, len(part)), np.uint8)
    check_characters(flat)
    return flat.reshape(header.shape, order="F" if header.columns_first else "C")


def check_characters(flat: np.ndarray[Any, Any]) -> None:
    """Refuse texts of characters that Unicode does not have: Python could not make texts of them.

    Raises:
        DamagedError: if there are some.
    """
    if flat.dtype.kind == "U" and flat.size:
        numbers = flat.view(in_order(np.dtype(np.uint32), flat.dtype.byteorder))
        if numbers.max() > sys.maxunicode:
            raise DamagedError(f"it has a character of the number {numbers.max()}")


def exactly(file: Any, count: int) -> bytes:
    """So many bytes of a file."""
    data: bytes = file.read(count)
    if len(data) != count:
        raise DamagedError("it ends too early")
    return data
