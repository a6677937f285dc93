"""Memory of large results, used again once nobody shows it any more.

Pages that are fresh from the system cost more than most computations that fill them: each is mapped and cleared when it
is first written to, and given back when the array dies. So large results are arrays on blocks which a pool keeps.

A block is free when the pool alone refers to it. Every array, memoryview or buffer that shows an array of a block
refers to the block, by itself or through that array, as it would to any array that owns its memory; so none is alive
then. A block is taken out of the pool's queue while it is looked at, which one thread alone can do: there are no locks,
and a finalizer may run programs in between. The pool knows blocks of so many bytes in all; blocks that it forgets are
freed with their last array.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any
from weakref import getweakrefcount

import numpy as np

from autodiff.trace.memory.aligned import ALIGNMENT, aligned_start
from autodiff.trace.memory.guarding import GUARDED, guarded_array
from autodiff.trace.spec import Spec

LARGE = 1 << 17
"""Bytes from which on an array lives on a block; the system's allocator maps such memory anew."""

SIZE = "AUTODIFF_POOL_SIZE"
"""The variable of the environment with the bytes that the pool may know."""

LOOKS = 16
"""So many blocks are looked at for a free one: where thousands are in use, looking at all would take longer."""

SHARE = 8
"""The pool knows at most this part of the memory of the machine, unless it is told otherwise."""


class Block(np.ndarray[Any, Any]):
    """Memory that arrays live on: it is their base."""

    __slots__ = ()


class Pool:
    """Blocks by their sizes.

    Args:
        limit: the bytes that it may know; 0 for no pool.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit if counts_references() else 0
        self.queues: dict[int, deque[list[Any]]] = {}

    @property
    def bytes(self) -> int:
        """The bytes of all blocks that the pool knows, free or not."""
        return sum(size * len(queue) for size, queue in list(self.queues.items()))

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> np.ndarray[Any, Any]:
        """A new array that holds anything.

        Args:
            shape: of the array.
            dtype: of its elements.
            size: of the block, from :func:`block_size`.
        """
        queue = self.queues.get(size)
        if queue is None:
            if size > self.limit:
                return np.empty(shape, dtype)
            queue = self.queues.setdefault(size, deque())
        for _ in range(min(len(queue), LOOKS)):
            try:
                cell = queue.popleft()
            except IndexError:  # other threads look at all of them
                break
            if is_free(cell):
                found = np.ndarray(shape, dtype, *cell)
                queue.append(cell)
                return found
            queue.append(cell)
        cell = new_cell(size)
        found = np.ndarray(shape, dtype, *cell)
        queue.append(cell)
        self.forget_some(queue)
        return found

    def forget_some(self, wanted: deque[list[Any]]) -> None:
        """Forget blocks, the oldest first, until the others keep to the limit: those of other sizes before these."""
        excess = self.bytes - self.limit
        queues = list(self.queues.items())
        for size, queue in (*(pair for pair in queues if pair[1] is not wanted), *queues):
            while excess > 0 and queue:
                try:
                    queue.popleft()
                except IndexError:
                    break
                excess -= size

    def clear(self) -> None:
        """Forget all blocks."""
        self.queues.clear()


def new_cell(size: int) -> list[Any]:
    """A block, and where arrays begin in it."""
    block = Block((size + ALIGNMENT,), np.uint8)
    return [block, aligned_start(block)]


def is_free(cell: list[Any]) -> bool:
    """Whether the cell alone refers to its block. The count is asked for by C code: no frame adds to it."""
    return next(map(sys.getrefcount, cell)) == ALONE and getweakrefcount(cell[0]) == 0


ALONE: int = next(map(getattr(sys, "getrefcount", id), new_cell(0)))
"""What is counted where a cell alone refers to a block."""


def counts_references() -> bool:
    """Whether references are counted at once and exactly: not so without Python's lock, or in other Pythons."""
    locked: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
    return sys.implementation.name == "cpython" and locked


def block_size(bytes: int) -> int:
    """The size of the block for so many bytes: at most an eighth more, so that similar arrays share blocks."""
    step = 1 << max(bytes.bit_length() - 4, 6)
    return -(-bytes // step) * step


def pool_limit() -> int:
    """The bytes that the pool may know.

    Raises:
        ValueError: if the environment says something that is no number of bytes.
    """
    told = os.environ.get(SIZE)
    if told is None:
        return memory_of_the_machine() // SHARE
    try:
        limit = int(told)
    except ValueError:
        limit = -1
    if limit < 0:
        raise ValueError(f"{SIZE}={told!r} in the environment is no number of bytes; set 0 for no pool, or 268435456")
    return limit


def memory_of_the_machine() -> int:
    """Its bytes, or those that this process may use; a gigabyte where nobody says."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 1 << 30
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            return min(found, int(file.read()))
    except (OSError, ValueError):  # no such file, or "max"
        return found


pool = Pool(pool_limit())


def maker(spec: Spec) -> Callable[[], np.ndarray[Any, Any]]:
    """A function that gives new arrays of a shape and dtype, which hold anything: on blocks if they are large."""
    return partial(guarded_array, spec.shape, spec.dtype) if GUARDED else maker_of(spec.shape, spec.dtype)


def maker_of(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Callable[[], np.ndarray[Any, Any]]:
    """The same of arrays that no kernel writes to, which are never guarded."""
    bytes = prod(shape) * dtype.itemsize
    if bytes < LARGE or dtype.hasobject:
        return partial(np.empty, shape, dtype)
    return partial(pool.array, shape, dtype, block_size(bytes))


def owns_memory(array: np.ndarray[Any, Any]) -> bool:
    """Whether the memory of an array is its own: it has no base, or a block that no other array refers to by itself.

    As with all arrays that own their memory, others may show it through this one.
    """
    return array.base is None or type(array.base) is Block
