"""CuPy: plain array code, a kernel for each operation; its arrays are ours as well."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends import gpu
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
        return self.cupy.asnumpy(leaf)

    def alive(self) -> None:
        float(self.cupy.ones(2, np.float32).sum())

    def release(self) -> None:
        self.__dict__.pop("flush", None)
        self.cupy.get_default_memory_pool().free_all_blocks()

    def made(self, call: Callable[..., Any], row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        """Work of a function on arrays on the device."""
        arguments, clock = mapped(self.native, inputs), CupyClock(self.cupy)
        if row.donated:
            return DonatedDeviceWork(call, arguments, clock, row.donated, self.copied)
        return DeviceWork(call, arguments, clock, self.flush if row.cold else None)

    def native(self, leaf: Any) -> Any:
        """Arrays on the device; numbers as they are."""
        return self.cupy.asarray(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf

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


def cache_bytes(cupy: Any) -> int:
    """The size of the device's second-level cache."""
    return int(cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())["l2CacheSize"])


class Cupy(ArraysOfCupy):
    """The function as a user of CuPy writes it, derivative and all."""

    name = "cupy"

    def version(self) -> str:
        return str(self.cupy.__version__)

    def work(self, program: DeviceProgram, row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        return self.made(program.cupy(self.cupy, row), row, inputs)
