"""cuBLAS while a stream is captured.

CuPy refuses to call cuBLAS then, though cuBLAS itself can be captured if it gets memory to work in. So while a program
is captured its products call the library itself, the very one that CuPy has loaded, in the same way.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from autodiff.backends.gpu import library, require

WORKSPACE = 32 << 20
"""Bytes that cuBLAS works in: as many as it wants on the largest GPUs."""

LOADED = getattr(os, "RTLD_NOLOAD", 0) | getattr(os, "RTLD_NOW", 0)
"""How a library is found that is there already; Windows finds cuBLAS by its name."""

POINTER, INT, LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_longlong

MATRIX, STRIDED = (POINTER, INT, INT), (POINTER, INT, INT, LONG)
HEAD = (POINTER, INT, INT, INT, INT, INT, POINTER)
TAIL = (INT, INT)

SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cublasSetStream_v2": (POINTER, POINTER),
    "cublasSetWorkspace_v2": (POINTER, POINTER, ctypes.c_size_t),
    "cublasGemmEx": (*HEAD, *MATRIX, *MATRIX, POINTER, *MATRIX, *TAIL),
    "cublasGemmStridedBatchedEx": (*HEAD, *STRIDED, *STRIDED, POINTER, *STRIDED, INT, *TAIL),
}
"""The functions that are called, and their parameters."""


class BlasError(RuntimeError):
    """cuBLAS refuses a call."""


class DirectBlas:
    """cuBLAS with the names that CuPy gives its functions.

    Args:
        library: the loaded library.
    """

    def __init__(self, library: Any) -> None:
        self.functions = {}
        for name, parameters in SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes, function.restype = parameters, INT
            self.functions[name] = function

    def __call__(self, name: str, *arguments: Any) -> None:
        """Call a function.

        Raises:
            BlasError: if cuBLAS refuses it.
            OverflowError: if a number has more bits than its parameter: ctypes would cut them off without a word.
        """
        for number, kind in zip(arguments, SIGNATURES[name], strict=True):
            if kind is INT and not -(1 << 31) <= number < 1 << 31:
                raise OverflowError(f"{name}: cuBLAS counts with 32 bits, and {number:,} has more")
        status = self.functions[name](*arguments)
        if status:
            raise BlasError(f"{name}: cuBLAS returned status {status}")

    def gemmEx(self, *arguments: Any) -> None:
        """One product."""
        self("cublasGemmEx", *arguments)

    def gemmStridedBatchedEx(self, *arguments: Any) -> None:
        """A stack of products."""
        self("cublasGemmStridedBatchedEx", *arguments)


class OfThread(threading.local):
    """Which cuBLAS products of this thread call; CuPy's if None."""

    direct: DirectBlas | None = None


calling = OfThread()


def cublas() -> Any:
    """The module whose functions products call."""
    return calling.direct or sys.modules["cupy"].cuda.cublas


def direct_blas() -> DirectBlas | None:
    """The library that CuPy has loaded; None where it is not found, or there is no CuPy."""
    cupy = library()
    return None if cupy is None else loaded_by(cupy)


@cache
def loaded_by(cupy: Any) -> DirectBlas | None:
    """The library that CuPy has loaded. Another copy would not do: handles belong to the copy that made them.

    There may be several, of other packages. So the functions are looked for where CuPy's own module finds them: in the
    libraries that it is linked with.
    """
    cupy.cuda.get_cublas_handle()  # loads it
    if sys.platform == "win32":
        name = f"cublas64_{cupy.cuda.runtime.runtimeGetVersion() // 1000}.dll"
    else:
        name = getattr(cupy.cuda.cublas, "__file__", "")
    try:
        return DirectBlas(ctypes.CDLL(name, LOADED)) if name else None
    except (OSError, AttributeError):
        return None


def why_no_blas() -> str:
    """Why products cannot be captured; empty if they can, or if there is no CuPy that could be asked."""
    there = library() is None or direct_blas() is not None
    return "" if there else "CuPy refuses cuBLAS while it captures, and its library is not found"


@cache
def workspace(cupy: Any, device: int, stream: int) -> Any:
    """What cuBLAS works in, in graphs that are launched in one stream: they run one after the other.

    Args:
        cupy: the module.
        device: the current one.
        stream: its stream.
    """
    return cupy.cuda.alloc(WORKSPACE)


@contextmanager
def capturable(stream: Any, room: Any) -> Iterator[None]:
    """Let products of this thread go to a stream that is captured; afterwards CuPy says itself where they go.

    Args:
        stream: the stream.
        room: a workspace; None where there are no products.
    """
    direct = direct_blas()
    if direct is None or room is None:
        yield
        return
    before = calling.direct
    handle = require().cuda.get_cublas_handle()
    direct("cublasSetStream_v2", handle, stream.ptr)
    direct("cublasSetWorkspace_v2", handle, room.ptr, WORKSPACE)
    calling.direct = direct
    try:
        yield
    finally:
        calling.direct = before
        direct("cublasSetStream_v2", handle, 0)
