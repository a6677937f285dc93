"""Memory that is never freed, for what native threads look at until the very end of the process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from autodiff.backends.native.pool import LINE


def words(size: int) -> int:
    """The address of some bytes, all zero, at the start of a cache line."""
    allocate = ctypes.pythonapi.PyMem_RawCalloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]
    found = allocate(size + LINE, 1)
    if not found:
        raise MemoryError(f"no room for {size} bytes")
    return int(found + LINE - 1) // LINE * LINE


def put(address: int, value: int) -> None:
    """Write a word."""
    ctypes.c_int64.from_address(address).value = value


def address_of(function: Callable[..., Any]) -> int:
    """The address of a function of ctypes."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
