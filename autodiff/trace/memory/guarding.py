"""Memory between pages that nobody may touch: a kernel that leaves its bounds ends the process there and then.

``AUTODIFF_GUARD_MEMORY=1`` in the environment puts all memory that kernels work in, and all that they return, between
such pages. Each array takes three pages or more, so this is for tests and for whoever hunts a fault.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any

import numpy as np

from autodiff.trace.errors import AutodiffError

GUARDED = os.environ.get("AUTODIFF_GUARD_MEMORY") == "1"
"""Whether this process guards memory."""


def guarded(size: int, alignment: int = 1, at_end: bool = True) -> np.ndarray[Any, Any]:
    """So many bytes between two pages that nobody may touch.

    Args:
        size: in bytes.
        alignment: the address at which they begin is a multiple of it.
        at_end: whether they end where the second page begins, as far as the alignment lets them; otherwise they begin
            where the first one ends.

    Raises:
        AutodiffError: where the system cannot protect pages.
    """
    page = mmap.PAGESIZE
    inner = -(-max(size, 1) // page) * page
    whole = mmap.mmap(-1, inner + 2 * page)
    found = np.frombuffer(whole, np.uint8)
    protect(found.ctypes.data, page)
    protect(found.ctypes.data + page + inner, page)
    start = (inner - size) // alignment * alignment if at_end else 0
    return found[page + start : page + start + size]


def protect(address: int, size: int) -> None:
    """Let nobody read or write these pages."""
    change = getattr(ctypes.CDLL(None), "mprotect", None) if os.name == "posix" else None
    if change is None:
        raise AutodiffError("AUTODIFF_GUARD_MEMORY=1 needs a system with mprotect, such as Linux or macOS; unset it")
    if change(ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_int(0)):
        raise AutodiffError(f"pages could not be protected (error {ctypes.get_errno()}): is there memory left?")


def guarded_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A new array that holds anything, between such pages."""
    size = int(np.prod(shape, dtype=int)) * dtype.itemsize
    return np.ndarray(shape, dtype, guarded(size, dtype.itemsize))


def guarded_copy(array: np.ndarray[Any, Any], at_end: bool = True) -> np.ndarray[Any, Any]:
    """The same elements with the same strides in memory of which no byte too many may be touched."""
    low, high = np.lib.array_utils.byte_bounds(array) if array.size else (array.ctypes.data, array.ctypes.data)
    memory = guarded(high - low, array.itemsize if (high - low) % array.itemsize == 0 else 1, at_end)
    offset = array.ctypes.data - low
    found = np.ndarray(array.shape, array.dtype, memory, offset, array.strides) if array.size else array.copy()
    if array.size:
        memory[:] = np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))
    found.flags.writeable = array.flags.writeable
    return found
