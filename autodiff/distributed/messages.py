"""How bytes go from process to process, and how processes make sure that they mean the same.

Every collective operation begins with a block from each process to each other: what it is about to do, in 16 bytes, and
its array if that is small, which then is all. So whoever does something else is found before anybody waits in vain. The
bytes of large arrays follow in messages that need not be waited for, so that a waiting process can look around.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from autodiff.distributed.errors import DistributedError, LostProcessError, MismatchError
from autodiff.distributed.group import Group
from autodiff.distributed.packing import new

Steps = Generator[Any, None, Any]
"""An exchange: it gives out each message that has to arrive before it goes on, and returns its result."""

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

DIGEST, ROOM = 16, 1008
"""Bytes of a block that say what is done, and that are left for an array."""

AWAKE, NAP, BURST, LOOK = 0.05, 1e-4, 20, 0.0125
"""A process that waits goes on asking for so many seconds; where processes outnumber cores it lets others have its core
each time. Then it sleeps, so many seconds each time, and asks so often in between: large messages move a piece each
time. After so many seconds for each of the others, and at least after 0.1, it looks whether they are there.

Sleeping for no time at all is no way to let others have the core: it takes as long as the shortest sleep of the system.
"""


class Call(NamedTuple):
    """A collective operation as a process calls it.

    Attributes:
        name: of the operation.
        shape: of the array.
        dtype: of the array.
        rest: pairs of names and values of what else must be equal.
        place: which leaf of which tree it is.
        line: the user's line.
    """

    name: str
    shape: tuple[int, ...] = ()
    dtype: Any = None
    rest: tuple[Any, ...] = ()
    place: str = ""
    line: str = ""

    def __str__(self) -> str:
        array = f" of {np.dtype(self.dtype).name}{list(self.shape)}" if self.dtype is not None else ""
        rest = "".join(f", {name}={value}" for name, value in self.rest)
        return f"{self.name}{array}{rest}{f', {self.place}' if self.place else ''}"


END = Call("the end of the program")


class Debugging:
    """Whether processes compare lines, too: ``AUTODIFF_DISTRIBUTED_DEBUG=1``."""

    on = os.environ.get("AUTODIFF_DISTRIBUTED_DEBUG", "0") == "1"


def debug(on: bool = True) -> None:
    """Let processes compare the lines of your program that call collective operations, not only what they call.

    Operations, shapes, dtypes, roots and names of leaves are compared always. ``AUTODIFF_DISTRIBUTED_DEBUG=1`` in the
    environment does the same. All processes have to agree on it.

    >>> debug(False)
    """
    Debugging.on = on


@lru_cache(4096)
def digest(call: Call, line: str) -> bytes:
    """What stands for a call in a block."""
    text = f"{call._replace(line='')}|{line}"
    return blake2b(text.encode(), digest_size=DIGEST).digest()


def agree(comm: Group, call: Call, array: np.ndarray[Any, Any] | None = None) -> Any:
    """Make sure that all processes are about to do the same, and exchange small arrays on the way.

    Args:
        comm: the processes.
        call: what this one is about to do.
        array: its array.

    Returns:
        the arrays of all processes as one; None where they are too large, or there are none.

    Raises:
        MismatchError: in all processes, saying who is about to do what.
    """
    if array is not None and array.nbytes > ROOM:
        array = None
    block, blocks, own = begun_block(comm, call, array)
    wait(comm, comm.mpi.Iallgather(block, blocks), call)
    if not all_equal(blocks, own):
        disagree(comm, call)
    if array is None:
        return None
    parts = np.ascontiguousarray(blocks[:, DIGEST : DIGEST + array.nbytes])
    return parts.reshape(-1).view(array.dtype).reshape(comm.size, *array.shape)


def agreement(comm: Group, call: Call) -> Steps:
    """The same, step by step, without an array."""
    block, blocks, own = begun_block(comm, call)
    yield comm.mpi.Iallgather(block, blocks)
    if not all_equal(blocks, own):
        disagree(comm, call)


def begun_block(comm: Group, call: Call, array: np.ndarray[Any, Any] | None = None) -> tuple[Bytes, Bytes, bytes]:
    """The block of this process, room for those of all, and how it begins."""
    own = digest(call, call.line if Debugging.on else "")
    text = own if array is None else own + array.tobytes()
    block = np.frombuffer(text.ljust(DIGEST + ROOM, b"\0"), np.uint8)
    return block, np.empty((comm.size, block.size), np.uint8), own


def all_equal(blocks: Bytes, own: bytes) -> bool:
    """Whether all processes are about to do the same."""
    return blocks[:, :DIGEST].tobytes() == own * len(blocks)


def disagree(comm: Group, call: Call) -> None:
    """Say who is about to do what: all processes know by now that they do not agree."""
    calls: dict[str, list[int]] = {}
    for rank, text in enumerate(comm.mpi.allgather(f"{call}{f' ({call.line})' if call.line else ''}")):
        calls.setdefault(text, []).append(rank)
    if call is END:
        return
    listed = "".join(f"\n  {ranks_text(ranks)}: {text}" for text, ranks in calls.items())
    raise MismatchError(
        f"the processes of {comm.name} do not agree on what comes next:{listed}\nAll of them have to call the same "
        "operations in the same order, with trees of the same structure, shapes and dtypes."
    )


def ranks_text(ranks: list[int]) -> str:
    """``process 1``, ``processes 0, 2``."""
    return f"process{'es' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"


def waited_for(comm: Group, steps: Steps, call: Call) -> Any:
    """What an exchange returns, each of whose messages is waited for."""
    while True:
        try:
            request = next(steps)
        except StopIteration as end:
            return end.value
        wait(comm, request, call)


def wait(comm: Group, request: Any, call: Call) -> None:
    """Wait for a message, and look from time to time whether the others are still there.

    Raises:
        LostProcessError: if a process on this machine is gone.
        DistributedError: if it takes longer than ``AUTODIFF_DISTRIBUTED_TIMEOUT`` seconds.
    """
    try:
        if not wait_awake(comm, request):
            wait_and_look(comm, request, call)
    except BaseException:  # the user's Ctrl-C, too
        ABANDONED.append(request)
        raise


def wait_awake(comm: Group, request: Any) -> bool:
    """Wait for a message for a while, and say whether it is there."""
    test, begun = request.Test, time.monotonic()
    while time.monotonic() - begun < AWAKE:
        if comm.crowded:
            if test():
                return True
            os.sched_yield()
            continue
        for _ in range(BURST):
            if test():
                return True
    return False


ABANDONED: list[Any] = []
"""Messages that nobody waits for any more. MPI may still write to their memory, so it stays."""


def wait_and_look(comm: Group, request: Any, call: Call) -> None:
    """Wait for a message that takes longer, with a look at the others from time to time."""
    begun = looked = time.monotonic()
    limit = float(os.environ.get("AUTODIFF_DISTRIBUTED_TIMEOUT", "inf"))
    while not any(request.Test() for _ in range(BURST)):
        time.sleep(NAP)
        now = time.monotonic()
        if now - looked > max(0.1, LOOK * comm.size):
            looked = now
            look_after(comm, call)
            if now - begun > limit:
                raise DistributedError(
                    f"process {comm.rank} of {comm.name} has waited {limit:g} s for the others at {call} ({call.line})"
                )


def look_after(comm: Group, call: Call) -> None:
    """Raise an error if a process on this machine is gone."""
    host = comm.peers[comm.rank].host
    for rank, peer in enumerate(comm.peers):
        if peer.host == host and not alive(peer.pid):
            raise LostProcessError(
                f"process {rank} of {comm.name} is gone (pid {peer.pid} on {host}): process {comm.rank} waits for it "
                f"at {call} ({call.line})"
            )


def alive(pid: int) -> bool:
    """Whether a process of this machine is there, and no zombie."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except ProcessLookupError:
        return False
    except OSError:  # it is there, and there is no /proc, or it is somebody else's
        return not os.path.isdir("/proc/self") or os.path.isdir(f"/proc/{pid}")


def as_bytes(array: np.ndarray[Any, Any]) -> Bytes:
    """The bytes of an array, in the order of its elements; they are its memory where that lies so."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


# Exchanges of arrays too large for a block.


def all_gathered(comm: Group, x: Any, call: Call) -> Any:
    """The arrays of all processes."""
    out = new((comm.size, *x.shape), x.dtype)
    wait(comm, comm.mpi.Iallgather(as_bytes(x), as_bytes(out)), call)
    return out


def exchanged(comm: Group, x: Any, call: Call) -> Any:
    """What every process has for this one, of arrays with a row for each."""
    out = new(x.shape, x.dtype)
    wait(comm, comm.mpi.Ialltoall(as_bytes(x), as_bytes(out)), call)
    return out


def gathered(comm: Group, x: Any, root: int, call: Call) -> Any:
    """The arrays of all processes, in one of them; zeros in the others."""
    out = np.zeros((comm.size, *x.shape), x.dtype)
    wait(comm, comm.mpi.Igather(as_bytes(x), as_bytes(out) if comm.rank == root else None, root), call)
    return out


def scattered(comm: Group, x: Any, root: int, call: Call) -> Any:
    """The row that one process has for this one."""
    out = np.empty(x.shape[1:], x.dtype)
    wait(comm, comm.mpi.Iscatter(as_bytes(x) if comm.rank == root else None, as_bytes(out), root), call)
    return out


def broadcasted(comm: Group, x: Any, root: int, call: Call) -> Any:
    """The array of one process."""
    out = new(x.shape, x.dtype)
    if comm.rank == root:
        out[...] = x
    wait(comm, comm.mpi.Ibcast(as_bytes(out), root), call)
    return out


def permuted(comm: Group, x: Any, pairs: tuple[tuple[int, int], ...], call: Call) -> Any:
    """The array of the process that sends to this one; zeros where none does."""
    out = np.zeros(x.shape, x.dtype)
    requests = [comm.mpi.Irecv(as_bytes(out), a) for a, b in pairs if b == comm.rank]
    requests += [comm.mpi.Isend(as_bytes(x), b) for a, b in pairs if a == comm.rank]
    for number, request in enumerate(requests):
        try:
            wait(comm, request, call)
        except BaseException:
            ABANDONED.extend(requests[number + 1 :])
            raise
    return out
