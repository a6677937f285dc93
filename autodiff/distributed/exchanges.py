"""Exchanges of arrays that are too large for the blocks of a meeting.

Few processes send messages to each other, from the memory of their arrays to that of results; more use MPI's own
algorithms, which take fewer rounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodiff.distributed.calls import Call
from autodiff.distributed.group import Group
from autodiff.distributed.meetings import DIRECT
from autodiff.distributed.packing import new
from autodiff.distributed.waiting import Requests, wait

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


KNOWN = frozenset(np.dtype(char) for char in "bBhHiIlLqQfdFD")
"""The dtypes that MPI knows, too."""


def as_bytes(array: Any) -> Bytes:
    """The bytes of an array, in the order of its elements; they are its memory where that lies so."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def sendable(array: Any) -> Any:
    """An array as MPI takes it: itself, or its bytes."""
    return array if array.dtype in KNOWN and array.flags.c_contiguous else as_bytes(array)


def messages(mpi: Any, sent: Iterable[Any], received: Iterable[Any]) -> Requests:
    """A message to each other process and one from it.

    Args:
        mpi: mpi4py's communicator.
        sent: what each process gets.
        received: the memory for what comes from each; that of this process does not count.
    """
    rank, requests = mpi.rank, []
    for k, array in enumerate(received):
        if k != rank:
            requests.append(mpi.Irecv(sendable(array), k))
    for k, array in enumerate(sent):
        if k != rank:
            requests.append(mpi.Isend(sendable(array), k))
    return requests


def gathering_all(mpi: Any, x: Any, out: Any) -> Requests:
    """Messages that put the arrays of all processes into the rows of one."""
    if mpi.size > DIRECT:
        return [mpi.Iallgather(as_bytes(x), as_bytes(out))]
    requests = messages(mpi, [x] * mpi.size, out)
    out[mpi.rank] = x
    return requests


def all_gathered(comm: Group, x: Any, call: Call) -> Any:
    """The arrays of all processes."""
    out = new((comm.size, *x.shape), x.dtype)
    wait(comm, gathering_all(comm.lines.whole, x, out), call)
    return out


def exchanged(comm: Group, x: Any, call: Call) -> Any:
    """What every process has for this one, of arrays with a row for each."""
    out = new(x.shape, x.dtype)
    if comm.size > DIRECT:
        wait(comm, [comm.lines.whole.Ialltoall(as_bytes(x), as_bytes(out))], call)
        return out
    requests = messages(comm.lines.whole, x, out)
    out[comm.rank] = x[comm.rank]
    wait(comm, requests, call)
    return out


def gathered(comm: Group, x: Any, root: int, call: Call) -> Any:
    """The arrays of all processes, in one of them; zeros in the others."""
    out = np.zeros((comm.size, *x.shape), x.dtype)
    wait(comm, [comm.lines.whole.Igather(as_bytes(x), as_bytes(out) if comm.rank == root else None, root)], call)
    return out


def scattered(comm: Group, x: Any, root: int, call: Call) -> Any:
    """The row that one process has for this one."""
    out = np.empty(x.shape[1:], x.dtype)
    wait(comm, [comm.lines.whole.Iscatter(as_bytes(x) if comm.rank == root else None, as_bytes(out), root)], call)
    return out


def broadcasted(comm: Group, x: Any, root: int, call: Call) -> Any:
    """The array of one process."""
    out = new(x.shape, x.dtype)
    if comm.rank == root:
        out[...] = x
    if comm.size > 2:
        requests = [comm.lines.whole.Ibcast(as_bytes(out), root)]
    elif comm.rank == root:
        requests = [comm.lines.whole.Isend(sendable(out), 1 - root)]
    else:
        requests = [comm.lines.whole.Irecv(sendable(out), root)]
    wait(comm, requests, call)
    return out


def permuted(comm: Group, x: Any, pairs: tuple[tuple[int, int], ...], call: Call) -> Any:
    """The array of the process that sends to this one; zeros where none does."""
    out = np.zeros(x.shape, x.dtype)
    requests = [comm.lines.whole.Irecv(as_bytes(out), a) for a, b in pairs if b == comm.rank]
    requests += [comm.lines.whole.Isend(as_bytes(x), b) for a, b in pairs if a == comm.rank]
    wait(comm, requests, call)
    return out
