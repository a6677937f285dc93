"""A launch in plain Python and ctypes: what takes over where the native one cannot work, and its model in tests."""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.backends.native.arguments import Argument, ArrayArgument, Launch
from autodiff.backends.native.threads import get_num_threads

FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
FUNCTION_WITH_GIL = ctypes.PYFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
TYPES = {"float": (float, np.float64), "float32": (np.float32,), "int": (int,)}


def bind_in_python(launch: Launch) -> Callable[..., Any]:
    """A function that takes the arguments of a launch and runs it, or returns NotImplemented."""
    kernel = (FUNCTION if launch.release or launch.parallel else FUNCTION_WITH_GIL)(launch.address)
    template = np.array(launch.words, np.int64)

    def call(*values: Any) -> Any:
        block = template.copy()
        if len(values) != len(launch.arguments) or not all(map(filler(block), values, launch.arguments)):
            return NotImplemented
        run(kernel, block, launch)
        return None

    return call


def run(kernel: Callable[[int, int, int], None], block: Any, launch: Launch) -> None:
    """Run a kernel on its block, chunk by chunk."""
    rows = launch.rows if launch.rows_word is None else int(block[launch.rows_word])
    chunk = launch.chunk if launch.chunk and launch.chunk < rows else max(rows, 1)
    address = block.ctypes.data

    def run_chunk(k: int) -> None:
        kernel(address, k * chunk, min(k * chunk + chunk, rows))

    chunks = -(-rows // chunk)
    share(run_chunk, chunks, min(get_num_threads(), chunks) if launch.parallel else 1)


def share(run_chunk: Callable[[int], None], chunks: int, threads: int) -> None:
    """Call a function, which releases Python's lock, with the number of each chunk."""
    claim = itertools.count()

    def work() -> None:
        while (k := next(claim)) < chunks:
            run_chunk(k)

    helpers = []
    for _ in range(threads - 1):
        helper = threading.Thread(target=work, daemon=True)
        try:
            helper.start()
        except RuntimeError:  # the system has no more threads, or Python is about to end
            break
        helpers.append(helper)
    work()
    for helper in helpers:
        helper.join()


def filler(block: Any) -> Callable[[Any, Argument], bool]:
    """A function that writes an argument to a block, if it fits."""

    def fill(value: Any, argument: Argument) -> bool:
        if isinstance(argument, ArrayArgument):
            if not fits(value, argument):
                return False
            block[argument.word] = value.ctypes.data
            if argument.strides is not None:
                block[argument.strides : argument.strides + value.ndim] = value.strides
            return True
        if type(value) not in TYPES[argument.kind] or (argument.kind == "int" and not -(2**63) <= value < 2**63):
            return False
        block[argument.word] = bits_of(value)
        return True

    return fill


def bits_of(value: Any) -> int:
    """The word that holds a number."""
    if type(value) is int:
        return value
    if type(value) is np.float32:
        return int(value.view(np.int32))
    return int(np.float64(value).view(np.int64))


def fits(value: Any, argument: ArrayArgument) -> bool:
    """Whether a kernel can take an array as it is."""
    return (
        type(value) is np.ndarray
        and value.dtype.type is argument.dtype.type
        and value.dtype.isnative
        and value.flags.aligned
        and (argument.strides is not None or value.flags.c_contiguous)
        and (value.flags.writeable or not argument.writeable)
        and (argument.ndim is None or value.ndim == argument.ndim)
        and (argument.shape is None or value.shape == argument.shape)
    )
