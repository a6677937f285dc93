"""Memory that shows when a kernel reaches outside of it."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

PAGE, NOBODY = mmap.PAGESIZE, 0
POISON = (0xFF, 0xCB, 0x55)
"""Of which byte memory is full before it is written, in each of the three orders."""
MOST_SLACK = 16
"""New memory begins at multiples of so many bytes."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)


class Fenced:
    """A copy of an array between two pages that nobody may touch.

    It ends right before a page that faults, as far as an alignment to 16 bytes lets it; in order 1 it begins right
    behind one. What lies between the array and its pages must stay as it is.

    Args:
        name: in messages.
        array: what is copied.
        order: 0, 1 or 2.
        constant: whether it is only read; writing to it faults.
        anywhere: whether it begins where its elements let it, as a part of an array does, and ends right before a page.
    """

    def __init__(
        self, name: str, array: np.ndarray[Any, Any], order: int = 0, constant: bool = False, anywhere: bool = False
    ) -> None:
        self.name, self.size, self.dtype, self.shape = name, array.nbytes, array.dtype, array.shape
        self.constant = constant
        pages = max(1, -(-self.size // PAGE)) * PAGE
        self._length = pages + 2 * PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self._base = _libc.mmap(None, self._length, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
        self._low, self._high = self._base + PAGE, self._base + PAGE + pages
        step = array.itemsize if anywhere else MOST_SLACK
        self.address = self._low if order == 1 and not anywhere else (self._high - self.size) // step * step
        self._poison = POISON[order]
        ctypes.memset(self._low, self._poison, pages)
        ctypes.memmove(self.address, np.ascontiguousarray(array).ctypes.data, self.size)
        for fence in (self._base, self._high):
            _libc.mprotect(fence, PAGE, NOBODY)
        if constant:
            _libc.mprotect(self._low, pages, mmap.PROT_READ)

    def contents(self) -> np.ndarray[Any, Any]:
        """A copy of the array as it is now."""
        found = np.empty(self.shape, self.dtype)
        ctypes.memmove(found.ctypes.data, self.address, self.size)
        return found

    def misses(self, address: int) -> str:
        """Where an address lies, if it is near this array; else nothing."""
        if self._base <= address < self.address:
            return f"{self.address - address} bytes before the start of {self.name}"
        if self.address + self.size <= address < self._high + PAGE:
            return f"{address - self.address - self.size} bytes after the end of {self.name}, which has {self.size}"
        if self.address <= address < self.address + self.size:
            return f"{address - self.address} bytes after the start of {self.name}, which is only read"
        return ""

    def spoiled(self) -> str:
        """What was written beside the array; nothing if all is well."""
        end = self.address + self.size
        for start, size in ((self._low, self.address - self._low), (end, self._high - end)):
            wrong = np.flatnonzero(np.frombuffer(ctypes.string_at(start, size), np.uint8) != self._poison)
            if wrong.size:
                return f"something was written {self.misses(start + int(wrong[0]))}"
        return ""

    def release(self) -> None:
        """Give the memory back."""
        if self._base:
            _libc.munmap(self._base, self._length)
            self._base = 0

    __del__ = release
