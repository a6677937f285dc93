"""Where processes meet at the beginning of every collective operation.

Each gives a block to each other: what it is about to do, in 16 bytes, and its array if that is small, which then is
all. So whoever does something else is found before anybody waits in vain. The processes of one machine put their blocks
into memory that they share; others send them. Memory and messages are made once for each communicator, and what an
operation needs once for each shape: a meeting takes a microsecond or two.

All processes take part in every meeting of a communicator, in one order, also those that leave one before the others
have come, as by Ctrl-C: they wait for them at the beginning of the next one. So what a process says at a meeting
reaches all others. Who has left an operation after its meeting says so at the next one, and all take other
communicators then, on which none of its messages are under way. Those that are still in that operation get a message.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.distributed.calls import DIGEST, Call, Debugging, disagree
from autodiff.distributed.group import Group
from autodiff.distributed.waiting import Requests, Steps, wait
from autodiff.distributed.windows import LINE, SharedMemory, shared_memory

Array = np.ndarray[Any, Any]

DIRECT = 8
"""Up to so many processes send messages to each other; more meet by an all-gather, which takes fewer rounds."""

BLOCKS = {True: (1 << 10, *(64 + (1 << k) for k in (12, 14, 15))), False: (1 << 10,)}
"""The sizes of blocks where messages are direct, and where they are not: the smallest that holds an array is sent."""

GATHERED = 1 << 19
"""Sums of arrays that have no more bytes in all processes together are made in each of them."""

LEAST = 1 << 12
"""Bytes of arrays that the blocks in shared memory hold, however many processes there are."""

SENDERS = {"broadcast": True, "scatter": True, "reduce": False, "gather": False}
"""Whether the root alone has something to send, or all others: their blocks have no array otherwise."""

BLOCK, NOTICE = 0, 1
"""The tags of blocks, and of the message that says that its sender has left an operation."""

KNOWN = 1 << 10
"""How many operations a meeting knows, before it forgets them."""


class Side:
    """The blocks of all processes for one meeting.

    Args:
        blocks: a row for each process.
        rank: the number of this process.

    Attributes:
        head: where this process says what it is about to do.
        heads: where the others say it.
        turns: what operations need whose arrays are here.
    """

    __slots__ = ("blocks", "head", "heads", "rank", "turns")

    def __init__(self, blocks: Array, rank: int) -> None:
        self.blocks, self.rank = blocks, rank
        self.heads = [memoryview(block[:DIGEST]) for block in blocks]
        self.head = self.heads.pop(rank)
        self.turns: dict[Any, Turn] = {}


class Turn:
    """What a collective operation of one shape needs each time.

    Args:
        call: what is done.
        side: the blocks that hold its arrays.

    Attributes:
        call: what is done.
        digest: what stands for it.
        side: the blocks that hold its arrays.
        nbytes: what is sent to each.
        stack: the arrays of all processes, until the next operation begins; None where they are too large, or none.
        rows: the same, one by one.
        own: where that of this process is put; None where nobody needs it.
        requests: the messages, where they are the same each time.
    """

    __slots__ = ("call", "digest", "nbytes", "own", "requests", "rows", "side", "stack")

    def __init__(self, call: Call, side: Side) -> None:
        self.call, self.digest, self.nbytes, self.side = call, call.digest(), DIGEST, side
        self.stack: Any = None
        self.own: Any = None
        self.rows: list[Any] = []
        self.requests: Requests = ()
        rank, blocks = side.rank, side.blocks
        end = DIGEST + (0 if call.dtype is None else int(np.prod(call.shape)) * call.dtype.itemsize)
        if call.dtype is not None and end <= blocks.shape[1]:
            self.stack = blocks[:, DIGEST:end].view(call.dtype).reshape(len(blocks), *call.shape)
            self.rows = [self.stack[k, ...] for k in range(len(blocks))]
            root, only_root = dict(call.rest).get("root"), SENDERS.get(call.name, False)
            self.nbytes = end if root is None or (root == rank) == only_root else DIGEST
            self.own = None if only_root and root != rank else self.rows[rank]


class Meeting:
    """The blocks of the processes of a communicator.

    Args:
        comm: who meets.

    Attributes:
        mpi: the communicator of its messages.
        side: the blocks of the next meeting.
        busy: a meeting that has begun and not ended, and what it waits for.
    """

    __slots__ = ("busy", "comm", "mpi", "side")

    side: Side

    def __init__(self, comm: Group) -> None:
        self.comm, self.mpi = comm, comm.mpi.Dup()
        self.busy: tuple[Turn, Requests] | None = None

    def turn(
        self, name: str, shape: tuple[int, ...] = (), dtype: Any = None, rest: Any = (), place: str = "", line: str = ""
    ) -> Turn:
        """What an operation needs; arguments are those of a :class:`~autodiff.distributed.calls.Call`."""
        if self.busy is not None:
            before, requests = self.busy
            wait(self.comm, requests, before.call)
            self.end(before)
        turns, key = self.side.turns, (name, shape, dtype, rest, place)
        if Debugging.on:
            key = (*key, line)  # type: ignore[assignment]
        found = turns.get(key)
        if found is None:
            if len(turns) >= KNOWN:
                turns.clear()
            found = turns[key] = Turn(Call(name, shape, dtype, rest, place, line), self.side)
            found.requests = self.requests(found.nbytes)
        elif line != found.call.line:
            found.call = found.call._replace(line=line)
        return found

    def requests(self, nbytes: int) -> Requests:
        """The messages of blocks of so many bytes, where they are the same each time."""
        return ()

    def say(self, turn: Turn) -> None:
        """Write what this process is about to do, and whether it has left an operation before."""
        head = turn.side.head
        head[:] = turn.digest
        if self.comm.left:
            head[-1] = 1
            for k in self.others():
                self.mpi.Isend(b"", k, NOTICE).Free()

    def who_left(self) -> int | None:
        """A process that has left the operation which this one is in; None if there is none."""
        module = sys.modules["mpi4py.MPI"]
        status = module.Status()
        if self.busy is None and self.mpi.Iprobe(module.ANY_SOURCE, NOTICE, status):
            return int(status.Get_source())
        return None

    def others(self) -> list[int]:
        """The ranks of the others, the next one first."""
        rank, size = self.comm.rank, self.comm.size
        return [(rank + by) % size for by in range(1, size)]

    def begin(self, turn: Turn) -> Requests:
        """Give the block of this process to all others, and return what has to arrive."""
        raise NotImplementedError

    def end(self, turn: Turn) -> None:
        """Compare what has arrived.

        Raises:
            MismatchError: if somebody does something else.
        """
        self.busy = None
        side, digest = turn.side, turn.digest
        same = not side.head[-1]
        for head in side.heads:
            if head != digest:
                same = False
        if same:
            return
        for k, block in enumerate(side.blocks):
            if block[DIGEST - 1] and k != side.rank:
                self.mpi.Recv(bytearray(), k, NOTICE)
        if any(head[:-1] != digest[:-1] for head in side.heads):
            disagree(self.comm, turn.call)
        else:
            self.comm.renew()

    def close(self) -> None:
        """Give messages back to MPI, at the end of the program."""


class MeetingByMessages(Meeting):
    """A meeting whose blocks are sent.

    Attributes:
        receives: messages from all others; none where they meet by an all-gather.
    """

    __slots__ = ("receives", "sends")

    def __init__(self, comm: Group) -> None:
        super().__init__(comm)
        direct = comm.size <= DIRECT
        self.side = Side(np.zeros((comm.size, BLOCKS[direct][-1]), np.uint8), comm.rank)
        self.receives = [self.mpi.Recv_init(self.side.blocks[k], k, BLOCK) for k in self.others()] if direct else []
        self.sends: dict[int, list[Any]] = {}

    def requests(self, nbytes: int) -> Requests:
        """The messages of blocks of so many bytes, where they are the same each time."""
        if not self.receives:
            return ()
        size = next(size for size in BLOCKS[True] if nbytes <= size)
        if size not in self.sends:
            block = self.side.blocks[self.comm.rank, :size]
            self.sends[size] = [self.mpi.Send_init(block, k, BLOCK) for k in self.others()]
        return [*self.receives, *self.sends[size]]

    def begin(self, turn: Turn) -> Requests:
        """Send the block of this process, and return the messages that have to arrive."""
        self.say(turn)
        requests = turn.requests
        for request in requests:
            request.Start()
        if not requests:
            requests = [self.mpi.Iallgather(sys.modules["mpi4py.MPI"].IN_PLACE, self.side.blocks)]
        self.busy = turn, requests
        return requests

    def close(self) -> None:
        """Give the messages back to MPI, at the end of the program."""
        if self.busy is None:
            for request in (*self.receives, *(request for sends in self.sends.values() for request in sends)):
                request.Free()


class MeetingInMemory(Meeting):
    """A meeting whose blocks lie in memory that all processes share.

    Two sides take turns: who begins a meeting writes to the blocks of the one before the last, which all others have
    left, since they have come to the last one.

    Args:
        comm: who meets.
        shared: the memory.
    """

    __slots__ = ("arrive", "next_side")

    def __init__(self, comm: Group, shared: SharedMemory) -> None:
        super().__init__(comm)
        half = shared.rows.shape[1] // 2
        self.arrive = shared.arrive
        self.side, self.next_side = [Side(shared.rows[:, k : k + half], comm.rank) for k in (0, half)]

    def begin(self, turn: Turn) -> Requests:
        """Show the block of this process, and return what tells whether all others have shown theirs."""
        self.say(turn)
        self.side, self.next_side = self.next_side, self.side
        requests = self.arrive()
        self.busy = turn, requests
        return requests


def capacity(size: int) -> int:
    """Bytes of an array that fits into a block in shared memory, of so many: those that each process adds up."""
    return max(LEAST, GATHERED // size)


def meeting_of(comm: Group) -> Meeting:
    """Where the processes of a communicator meet, all of which have to call it."""
    if len({peer.host for peer in comm.peers}) == 1:
        shared = shared_memory(comm.mpi, 2 * (LINE + capacity(comm.size)))
        if shared is not None:
            return MeetingInMemory(comm, shared)
    return MeetingByMessages(comm)


def meet(comm: Group, turn: Turn, array: Any = None) -> None:
    """Make sure that all processes are about to do the same, and exchange small arrays on the way.

    Raises:
        MismatchError: in all processes, saying who is about to do what.
    """
    meeting = comm.meeting
    if turn.own is not None:
        turn.own[...] = array
    wait(comm, meeting.begin(turn), turn.call)
    meeting.end(turn)


def agree(comm: Group, name: str, rest: Sequence[tuple[str, Any]] = ()) -> None:
    """Make sure that all processes are about to do the same, which has no array.

    Raises:
        MismatchError: in all processes, saying who is about to do what.
    """
    meet(comm, comm.meeting.turn(name, rest=tuple(rest)))


def agreement(comm: Group, call: Call) -> Steps:
    """The same, step by step. Another operation that begins before it ends waits for it."""
    meeting: Meeting = comm.meeting
    turn = meeting.turn(*call)
    requests = meeting.begin(turn)
    begun = meeting.busy
    yield requests
    if meeting.busy is begun:
        meeting.end(turn)
