"""Memory that the processes of a machine share, in which they add up large arrays.

A message between two processes of a machine is copied twice, and an all-reduce of N bytes sends most of them twice. In
shared memory each process puts there what others add up, reads what is its own part to add from where the others have
put it, and leaves its sums there for all: N bytes are copied once in, and once out.

The memory is MPI's (``MPI_Win_allocate_shared``), and so is the barrier between the steps. Its messages go through
shared memory, too, with the fences that these need: what was written before a barrier can be read after it.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

REGION = 1 << 22
"""Bytes of an array that are exchanged in one turn."""

REGIONS = 3
"""In one turn a process puts what the next one adds up, adds up what is there, and reads the sums of the one before."""

FOLDER = "/dev/shm"
"""Where Linux has such memory. It may be small, as in containers, and ends a process that uses what is not there."""


class Window:
    """Regions of memory of each process, which all of them read.

    Args:
        mpi: mpi4py's communicator of processes of one machine.
        memory: of each of them.

    Attributes:
        turn: the number of the next turn.
    """

    __slots__ = ("memory", "mpi", "turn")

    def __init__(self, mpi: Any, memory: list[Array]) -> None:
        self.mpi, self.memory, self.turn = mpi, memory, 0

    def region(self, rank: int, turn: int, count: int, dtype: np.dtype[Any]) -> Array:
        """So many elements in the region of a process that belongs to a turn."""
        begin = turn % REGIONS * REGION
        return self.memory[rank][begin : begin + count * dtype.itemsize].view(dtype)


def window_of(mpi: Any) -> Window | None:
    """A window of the processes of a machine, all of which have to call it; None where there is no room for one."""
    size, module = mpi.Get_size(), sys.modules["mpi4py.MPI"]
    here = mpi.Split_type(module.COMM_TYPE_SHARED)
    possible = here.Get_size() == size > 1 and has_room(2 * size * REGIONS * REGION)
    here.Free()
    if not mpi.allreduce(possible, op=module.MIN):
        return None
    window = module.Win.Allocate_shared(REGIONS * REGION, 1, comm=mpi)
    return Window(mpi, [np.frombuffer(window.Shared_query(rank)[0], np.uint8) for rank in range(size)])


def has_room(nbytes: int) -> bool:
    """Whether there may be so many bytes of shared memory."""
    try:
        found = os.statvfs(FOLDER)
    except (OSError, AttributeError):  # another system, which says at once that there are none
        return True
    return found.f_bavail * found.f_frsize >= nbytes
