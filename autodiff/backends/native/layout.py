"""How CPython and NumPy lay out what a launch reads, and whether that is so here.

NumPy's array structure is part of its public C interface; how a float lies in its object is CPython's.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import sys
from typing import Any

import numpy as np

HEADER = object.__basicsize__  # the count of references and the type

# fmt: off
PLACES = {
    # in an object: bytes from its start
    "TYPE":    HEADER - 8,
    "VALUE":   HEADER,                    # of a float and of a scalar of NumPy
    "BYTES":   bytes.__basicsize__ - 1,   # the contents of a bytes object
    # in an array
    "DATA":    HEADER,
    "NDIM":    HEADER + 8,
    "SHAPE":   HEADER + 16,
    "STRIDES": HEADER + 24,
    "BASE":    HEADER + 32,
    "DTYPE":   HEADER + 40,
    "FLAGS":   HEADER + 48,
    # in a dtype
    "SCALAR":  HEADER,                    # the type of its scalars
    "ORDER":   HEADER + 10,               # the letter of its byte order
}
# fmt: on
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400


def word(address: int) -> int:
    """A word of memory."""
    return ctypes.c_int64.from_address(address).value


@functools.cache
def unfit() -> str:
    """Why native code may not read Python's objects here; empty if it may."""
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8 or sys.byteorder != "little":
        return "only CPython on a 64-bit little-endian processor is known"
    if HEADER != 16:
        return "the objects of this build of Python have another header (free-threaded or debug)"
    wrong = [each for each in samples() if not agrees(each)]
    return f"arrays of NumPy {np.__version__} are laid out in another way" if wrong else numbers()


def samples() -> list[Any]:
    """Arrays of many kinds."""
    whole = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    fixed = whole.copy()
    fixed.flags.writeable = False
    odd = np.zeros(9, np.uint8)[1:].view(np.float64)
    empty = np.zeros((0, 3), np.int32)
    copied = np.zeros(2, np.dtype(np.float32, copy=True))
    swapped = np.zeros(2, np.dtype(np.int32).newbyteorder())
    return [
        copied,
        swapped,
        whole,
        whole.T,
        whole[:, ::-1, 1:],
        whole[0],
        fixed,
        odd,
        empty,
        np.array(2.5),
        np.zeros(3, np.bool_),
    ]


def agrees(array: Any) -> bool:
    """Whether what lies in an array's structure is what NumPy says of it.

    The fields that are no pointers come first: only where they agree are the pointers followed.
    """
    at = id(array)
    flags = ctypes.c_int32.from_address(at + PLACES["FLAGS"]).value
    plain = (
        word(at + PLACES["TYPE"]) == id(np.ndarray)
        and word(at + PLACES["DATA"]) == array.__array_interface__["data"][0]
        and ctypes.c_int32.from_address(at + PLACES["NDIM"]).value == array.ndim
        and word(at + PLACES["BASE"]) == (0 if array.base is None else id(array.base))
        and word(at + PLACES["DTYPE"]) == id(array.dtype)
        and word(id(array.dtype) + PLACES["SCALAR"]) == id(array.dtype.type)
        and ctypes.string_at(id(array.dtype) + PLACES["ORDER"], 1) == array.dtype.byteorder.encode()
        and bool(flags & C_CONTIGUOUS) == array.flags.c_contiguous
        and bool(flags & ALIGNED) == array.flags.aligned
        and bool(flags & WRITEABLE) == array.flags.writeable
    )
    if not plain or array.ndim == 0:
        return plain
    axes = range(array.ndim)
    shape, strides = word(at + PLACES["SHAPE"]), word(at + PLACES["STRIDES"])
    if not shape or not strides:
        return False
    return all(word(shape + 8 * k) == array.shape[k] and word(strides + 8 * k) == array.strides[k] for k in axes)


def numbers() -> str:
    """Why native code may not read numbers and bytes; empty if it may."""
    content = b"0123456789abcdef"
    read = struct.Struct("d").pack
    if ctypes.string_at(id(content) + PLACES["BYTES"], len(content)) != content:
        return "bytes objects of this build of Python are laid out in another way"
    for number in (1.5, np.float64(-2.25), float("inf")):
        if ctypes.string_at(id(number) + PLACES["VALUE"], 8) != read(number):
            return "floats are laid out in another way"
    single = np.float32(0.1)
    if ctypes.string_at(id(single) + PLACES["VALUE"], 4) != single.tobytes():
        return "scalars of NumPy are laid out in another way"
    return ""
