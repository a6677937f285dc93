"""Arrays that a function closes over: what is known from their values, and as the function's program gets them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.backends import gpu
from autodiff.trace.spec import is_chunked
from autodiff.trace.tape import Tape
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete
from autodiff.trace.values.chunked import refusal

SMALL = 1 << 16
"""Bytes of a constant that is laid out anew for kernels: a larger one is handed over as it lies."""


def with_known_values(tape: Tape) -> Tape:
    """The tape with what is computed from its constants alone computed, and what their values say."""
    from autodiff.backends.passes.rewrite.constants import fold_constants  # noqa: PLC0415 - the compiler is loaded when something is compiled
    from autodiff.backends.passes.rewrite.known import use_constants  # noqa: PLC0415

    return use_constants(fold_constants(tape))


def in_order(array: Any) -> Any:
    """A small constant in C order: kernels would copy another one in every call."""
    if type(array) is not np.ndarray or array.flags.c_contiguous or array.nbytes > SMALL:
        return array
    ordered = np.ascontiguousarray(array)
    ordered.flags.writeable = array.flags.writeable
    return ordered


class Constants:
    """The constants of a tape.

    Args:
        arrays: as they were when it was recorded.

    Attributes:
        moved: copies of them on GPUs, by the numbers of the GPUs; made when they are first needed.
    """

    __slots__ = ("arrays", "moved")

    def __init__(self, arrays: Sequence[Any]) -> None:
        self.arrays = tuple(map(in_order, arrays))
        self.moved: dict[int, tuple[Any, ...]] = {}

    def beside(self, values: Iterable[Any]) -> tuple[Any, ...]:
        """The constants for a call with some values, plain or traced."""
        if not self.arrays or "cupy" not in sys.modules:
            return self.arrays
        device = device_of(values)
        return self.arrays if device is None else self.on(device)

    def on(self, device: int) -> tuple[Any, ...]:
        """The constants on a GPU; those that are on another one stay there."""
        found = self.moved.get(device)
        if found is None:
            found = tuple([gpu.to_gpu(a, device) if isinstance(a, np.ndarray) else a for a in self.arrays])
            gpu.require().cuda.Device(device).synchronize()  # all streams read them
            self.moved[device] = found
        return found

    def device(self) -> int | None:
        """The GPU of the first one that is on one; None where none is."""
        return device_of(self.arrays)


def device_of(values: Iterable[Any]) -> int | None:
    """The GPU of the first array that is on one; None where none is."""
    for value in values:
        own = concrete(value) if isinstance(value, Traced) else value
        if gpu.is_gpu_array(own):
            return int(own.device.id)
    return None


def refuse_chunks(name: str, values: Iterable[Any]) -> None:
    """Refuse arrays in chunks, traced or not: a program is compiled for arrays in memory.

    Raises:
        NotImplementedError: saying how a program is called on each chunk.
    """
    if "dask.array" in sys.modules and any(map(is_chunked, map(concrete, values))):
        raise refusal(f"jit: the program of {name}", "call it on each chunk, x.map_blocks(f), or leave jit away")
