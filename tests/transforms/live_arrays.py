"""Counting the large arrays that are alive."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from autodiff.trace.memory.recycling import pool


class Memory:
    """Memory that is held, in units of one array."""

    def __init__(self, unit: int) -> None:
        self.unit = unit
        self.start = tracemalloc.get_traced_memory()[0]

    @property
    def held(self) -> float:
        return (tracemalloc.get_traced_memory()[0] - self.start) / self.unit

    @property
    def peak(self) -> float:
        return (tracemalloc.get_traced_memory()[1] - self.start) / self.unit

    def reset_peak(self) -> None:
        tracemalloc.reset_peak()


@contextmanager
def counted(array: np.ndarray) -> Iterator[Memory]:  # type: ignore[type-arg]
    """Count the memory that is allocated meanwhile in arrays of the size of ``array``; nothing is kept for later ones."""
    limit, pool.limit = pool.limit, 0
    pool.clear()
    gc.collect()
    gc.disable()  # what is freed must be freed by reference counts alone
    tracemalloc.start()
    try:
        yield Memory(array.nbytes)
    finally:
        tracemalloc.stop()
        pool.limit = limit
        gc.enable()
