"""Where processes meet at the beginning of every collective operation.

Each gives a block to each other: what it is about to do, in 16 bytes, and its array if that is small, which then is
all. So whoever does something else is found before anybody waits in vain. Memory and messages are made once for each
communicator, and what an operation needs once for each shape: a meeting takes a microsecond or two.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.distributed.calls import DIGEST, Call, Debugging, disagree
from autodiff.distributed.group import Group
from autodiff.distributed.waiting import ABANDONED, Requests, Steps, arrived, wait

Array = np.ndarray[Any, Any]

DIRECT = 8
"""Up to so many processes send messages to each other; more meet by an all-gather, which takes fewer rounds."""

BLOCKS = {True: (1 << 10, *(64 + (1 << k) for k in (12, 14, 15))), False: (1 << 10,)}
"""The sizes of blocks where messages are direct, and where they are not: the smallest that holds an array is sent."""

SENDERS = {"broadcast": True, "scatter": True, "reduce": False, "gather": False}
"""Whether the root alone has something to send, or all others: their blocks have no array otherwise."""

TAG, KNOWN = 1, 1 << 10
"""Of the messages; and how many operations a meeting knows, before it forgets them."""


class Turn:
    """What a collective operation of one shape needs each time.

    Args:
        call: what is done.
        blocks: of all processes.
        rank: the number of this process.

    Attributes:
        call: what is done.
        digest: what stands for it.
        nbytes: what is sent to each.
        stack: the arrays of all processes, until the next operation begins; None where they are too large, or none.
        rows: the same, one by one.
        own: where that of this process is put; None where nobody needs it.
        requests: the messages, where they are the same each time.
    """

    __slots__ = ("call", "digest", "nbytes", "own", "requests", "rows", "stack")

    def __init__(self, call: Call, blocks: Array, rank: int) -> None:
        self.call, self.digest, self.nbytes = call, call.digest(), DIGEST
        self.stack: Any = None
        self.own: Any = None
        self.rows: list[Any] = []
        self.requests: Requests = ()
        end = DIGEST + (0 if call.dtype is None else int(np.prod(call.shape)) * call.dtype.itemsize)
        if call.dtype is not None and end <= blocks.shape[1]:
            self.stack = blocks[:, DIGEST:end].view(call.dtype).reshape(len(blocks), *call.shape)
            self.rows = [self.stack[k, ...] for k in range(len(blocks))]
            root, only_root = dict(call.rest).get("root"), SENDERS.get(call.name, False)
            self.nbytes = end if root is None or (root == rank) == only_root else DIGEST
            self.own = None if only_root and root != rank else self.rows[rank]


class Meeting:
    """The blocks of the processes of a communicator, and the messages that carry them.

    Args:
        mpi: mpi4py's communicator.
    """

    __slots__ = ("blocks", "busy", "head", "heads", "mpi", "receives", "sends", "text", "turns")

    def __init__(self, mpi: Any) -> None:
        self.mpi = mpi
        self.begin_anew()

    def begin_anew(self) -> None:
        """Make memory and messages: the first, or others where nobody waits for those that there are any more."""
        rank, size = self.mpi.rank, self.mpi.size
        block = BLOCKS[size <= DIRECT][-1]
        self.text = bytearray(size * block)
        self.blocks: Array = np.frombuffer(self.text, np.uint8).reshape(size, block)
        self.head, *self.heads = [slice(k * block, k * block + DIGEST) for k in (rank, *self.others())]
        self.turns: dict[Any, Turn] = {}
        self.receives: list[Any] = []
        self.sends: dict[int, list[Any]] = {}
        self.busy: Requests | None = None
        if size <= DIRECT:
            self.receives = [self.mpi.Recv_init(self.blocks[k], k, TAG) for k in self.others()]

    def others(self) -> list[int]:
        """The ranks of the others, the next one first."""
        rank, size = self.mpi.rank, self.mpi.size
        return [(rank + by) % size for by in range(1, size)]

    def turn(
        self, name: str, shape: tuple[int, ...] = (), dtype: Any = None, rest: Any = (), place: str = "", line: str = ""
    ) -> Turn:
        """What an operation needs; arguments are those of a :class:`~autodiff.distributed.calls.Call`."""
        if self.busy is not None:
            self.recover()
        key = (name, shape, dtype, rest, place, line if Debugging.on else "")
        found = self.turns.get(key)
        if found is None:
            if len(self.turns) >= KNOWN:
                self.turns.clear()
            found = self.turns[key] = Turn(Call(name, shape, dtype, rest, place, line), self.blocks, self.mpi.rank)
            found.requests = self.requests(found.nbytes)
        elif line != found.call.line:
            found.call = found.call._replace(line=line)
        return found

    def requests(self, nbytes: int) -> Requests:
        """The messages of blocks of so many bytes, where they are the same each time."""
        if not self.receives:
            return ()
        size = next(size for size in BLOCKS[True] if nbytes <= size)
        if size not in self.sends:
            block = self.blocks[self.mpi.rank, :size]
            self.sends[size] = [self.mpi.Send_init(block, k, TAG) for k in self.others()]
        return [*self.receives, *self.sends[size]]

    def begin(self, turn: Turn) -> Requests:
        """Send the block of this process, and return the messages that have to arrive."""
        self.text[self.head] = turn.digest
        requests = turn.requests
        for request in requests:
            request.Start()
        if not requests:
            requests = [self.mpi.Iallgather(sys.modules["mpi4py.MPI"].IN_PLACE, self.blocks)]
        self.busy = requests
        return requests

    def end(self, comm: Group, turn: Turn) -> None:
        """Compare what has arrived.

        Raises:
            MismatchError: if somebody does something else.
        """
        self.busy = None
        text, digest = self.text, turn.digest
        for head in self.heads:
            if text[head] != digest:
                disagree(comm, self.mpi, turn.call)
                return

    def recover(self) -> None:
        """Leave the memory of messages alone that nobody has waited for."""
        assert self.busy is not None
        if not arrived(self.busy):
            ABANDONED.append(self.busy)
            self.begin_anew()
        self.busy = None

    def close(self) -> None:
        """Give the messages back to MPI, at the end of the program."""
        if self.busy is None:
            for request in (*self.receives, *(request for sends in self.sends.values() for request in sends)):
                request.Free()


def meet(comm: Group, turn: Turn, array: Any = None) -> None:
    """Make sure that all processes are about to do the same, and exchange small arrays on the way.

    Raises:
        MismatchError: in all processes, saying who is about to do what.
    """
    meeting = comm.meeting
    if turn.own is not None:
        turn.own[...] = array
    wait(comm, meeting.begin(turn), turn.call)
    meeting.end(comm, turn)


def agree(comm: Group, name: str, rest: Sequence[tuple[str, Any]] = ()) -> None:
    """Make sure that all processes are about to do the same, which has no array.

    Raises:
        MismatchError: in all processes, saying who is about to do what.
    """
    meet(comm, comm.meeting.turn(name, rest=tuple(rest)))


def agreement(comm: Group, call: Call) -> Steps:
    """The same, step by step: other operations may begin before it ends, so it has memory of its own."""
    meeting = Meeting(comm.mpi)
    turn = meeting.turn(*call)
    yield meeting.begin(turn)
    meeting.end(comm, turn)
    meeting.close()
