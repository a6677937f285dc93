"""CuPy: plain array code, a kernel for each operation; its arrays are ours as well."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends import gpu
from benchmarks.compiled_programs.program import LeftOutError
from benchmarks.contest.trees import mapped
from benchmarks.gpu_contest.clocks import CupyClock
from benchmarks.gpu_contest.peers.peer import TIMES_CACHE, DevicePeer, Place
from benchmarks.gpu_contest.work import DeviceWork, DonatedDeviceWork

if TYPE_CHECKING:
    from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow


class ArraysOfCupy(DevicePeer):
    """Arrays, memory and clock of CuPy."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.cupy, reason = gpu.found()
        if self.cupy is None:
            raise RuntimeError(f"CuPy has no GPU here: {reason}")
        if not place.standin:
            self.cupy.get_default_memory_pool().set_limit(fraction=place.memory)

    def plain(self, leaf: Any) -> Any:
        found = self.cupy.asnumpy(leaf)
        return found.astype(np.float32) if found.dtype.name == "bfloat16" else found

    def alive(self) -> None:
        float(self.cupy.ones(2, np.float32).sum())

    def release(self) -> None:
        self.__dict__.pop("flush", None)
        self.cupy.get_default_memory_pool().free_all_blocks()

    def made(self, call: Callable[..., Any], row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        """Work of a function on arrays on the device."""
        arguments, clock = mapped(partial(self.native, row.kind), inputs), CupyClock(self.cupy)
        if row.donated:
            return DonatedDeviceWork(call, arguments, clock, row.donated, self.copied)
        return DeviceWork(call, arguments, clock, self.flush if row.cold else None)

    def native(self, kind: str, leaf: Any) -> Any:
        """Arrays on the device, floats of the dtype; numbers as they are."""
        if not isinstance(leaf, (np.ndarray, np.generic)):
            return leaf
        there = self.cupy.asarray(leaf)
        return there.astype(brain_float()) if kind == "bfloat16" and there.dtype == np.float32 else there

    def copied(self, tree: Any) -> Any:
        """The same tree of new arrays."""
        return mapped(lambda leaf: leaf.copy() if isinstance(leaf, self.cupy.ndarray) else leaf, tree)

    @cached_property
    def flush(self) -> Callable[[], Any]:
        """What overwrites the second-level cache; twice, so that the next call is there when it ends."""
        size = 1 << 16 if self.place.standin else TIMES_CACHE * cache_bytes(self.cupy)
        memory = self.cupy.zeros(size, np.uint8)

        def twice() -> None:
            memory.fill(1)
            memory.fill(2)

        return twice

    def copy(self, elements: int) -> DeviceWork:
        """A copy of so many elements of float32."""
        source, target = (self.cupy.zeros(elements, np.float32) for _ in range(2))
        return DeviceWork(self.cupy.copyto, (target, source), CupyClock(self.cupy))


def brain_float() -> Any:
    """The dtype of ml_dtypes.

    Raises:
        LeftOutError: if that is not installed.
    """
    try:
        import ml_dtypes  # noqa: PLC0415 - an optional package
    except ImportError:
        raise LeftOutError("needs the package ml_dtypes for bfloat16") from None
    return np.dtype(ml_dtypes.bfloat16)


def cache_bytes(cupy: Any) -> int:
    """The size of the device's second-level cache."""
    return int(cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())["l2CacheSize"])


class Cupy(ArraysOfCupy):
    """The function as a user of CuPy writes it, derivative and all."""

    name = "cupy"

    def version(self) -> str:
        return str(self.cupy.__version__)

    def set_precision(self, row: DeviceRow) -> None:
        if row.precision != "float32":
            raise LeftOutError("takes part in rows of float32 alone")

    def work(self, program: DeviceProgram, row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        return self.made(program.cupy(self.cupy, row), row, inputs)
