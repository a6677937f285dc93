"""Memory that the processes of a machine share, in which they meet and add up large arrays.

A message between two processes of a machine is copied twice, and an all-reduce of N bytes sends most of them twice. In
shared memory each process puts there what others add up, reads what is its own part to add from where the others have
put it, and leaves its sums there for all: N bytes are copied once in, and once out.

The memory is MPI's (``MPI_Win_allocate_shared``). Each process counts there how far it has come, and the others look:
what a process wrote before it counted can be read by those who have seen the count, since ``MPI_Win_sync`` keeps
processors from moving reads and writes across it.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

LINE = 64
"""Bytes that processors exchange at once: two counts are not in the same ones."""

REGION = 1 << 22
"""Bytes of an array that are exchanged in one turn."""

REGIONS = 3
"""In one turn a process puts what the next one adds up, adds up what is there, and reads the sums of the one before."""

FOLDER = "/dev/shm"
"""Where Linux has such memory. It may be small, as in containers, and ends a process that uses what is not there."""

OFTEN = 64
"""So often a process looks in vain before it lets MPI go on with messages that it has sent: somebody may wait for one
before he comes here."""


class SharedMemory:
    """Memory of each process of a machine that all of them read, and a count of the steps of each.

    All processes take their steps together, as at a barrier. It is its own request, as mpi4py's are: whoever has
    arrived asks it whether all others have, too.

    Args:
        mpi: mpi4py's communicator of processes of one machine.
        window: MPI's window.
        memory: a row for each process.

    Attributes:
        rows: of bytes, one for each process.
        steps: how many this process has taken.
    """

    __slots__ = ("count", "looks", "mpi", "others", "requests", "rows", "steps", "sync")

    def __init__(self, mpi: Any, window: Any, memory: Array) -> None:
        self.mpi, self.sync, self.steps, self.looks = mpi, window.Sync, 0, 0
        counts = [memoryview(row[:8]).cast("q") for row in memory]
        self.count = counts.pop(mpi.Get_rank())
        self.others, self.rows = counts, memory[:, LINE:]
        self.requests = [self]
        self.count[0] = 0

    def arrive(self) -> list[SharedMemory]:
        """Say that this process has written what others read, and return what tells whether all have."""
        self.steps = steps = self.steps + 1
        self.sync()
        self.count[0] = steps
        return self.requests

    def Test(self) -> bool:
        """Whether all processes have come as far as this one."""
        steps = self.steps
        for count in self.others:
            if count[0] < steps:
                self.looks += 1
                if not self.looks % OFTEN:
                    self.mpi.Iprobe()
                return False
        self.sync()
        return True


def shared_memory(mpi: Any, nbytes: int) -> SharedMemory | None:
    """So many bytes for each of the processes of a machine, all of which have to call it.

    Returns:
        the memory, which stays until the end of the program; None where the processes are not on one machine, or there
        is less than twice as much for all of them.
    """
    size, module = mpi.Get_size(), sys.modules["mpi4py.MPI"]
    here = mpi.Split_type(module.COMM_TYPE_SHARED)
    row = LINE + -(-nbytes // LINE) * LINE
    possible = here.Get_size() == size > 1 and has_room(2 * size * row)
    here.Free()
    if not mpi.allreduce(possible, op=module.MIN):
        return None
    window = module.Win.Allocate_shared(0 if mpi.Get_rank() else size * row, 1, comm=mpi)
    window.Lock_all(module.MODE_NOCHECK)  # to the end: only then has MPI_Win_sync a meaning
    memory = np.frombuffer(window.Shared_query(0)[0], np.uint8).reshape(size, row)
    made = SharedMemory(mpi, window, memory)
    mpi.Barrier()  # nobody counts before all have begun at zero
    return made


class Window:
    """Regions of memory of each process, in which arrays are added up in turns: each belongs to a step.

    Args:
        shared: the memory.
    """

    __slots__ = ("shared",)

    def __init__(self, shared: SharedMemory) -> None:
        self.shared = shared

    def region(self, rank: int, turn: int, count: int, dtype: np.dtype[Any]) -> Array:
        """So many elements in the region of a process that belongs to a turn."""
        begin = turn % REGIONS * REGION
        region: Array = self.shared.rows[rank, begin : begin + count * dtype.itemsize]
        return region.view(dtype)


def window_of(mpi: Any) -> Window | None:
    """A window of the processes of a machine, all of which have to call it; None where there is no room for one."""
    shared = shared_memory(mpi, REGIONS * REGION)
    return None if shared is None else Window(shared)


def has_room(nbytes: int) -> bool:
    """Whether there may be so many bytes of shared memory."""
    try:
        found = os.statvfs(FOLDER)
    except (OSError, AttributeError):  # another system, which says at once that there are none
        return True
    return found.f_bavail * found.f_frsize >= nbytes
