"""What messages need to know of the processes that they go between."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from autodiff.distributed.windows import Window, window_of


class Peer(NamedTuple):
    """A process: its number in the world, its machine and its number there."""

    rank: int
    host: str
    pid: int


class Lines(NamedTuple):
    """mpi4py's communicators over which arrays are exchanged and added up.

    Attributes:
        whole: of all processes.
        inside: of those of this machine; None where all are on one, or machines have unequal numbers of them.
        across: of those that have the number of this process on their machines.
        window: memory that all share, where they are on one machine; None where they are not, or there is none.
    """

    whole: Any
    inside: Any = None
    across: Any = None
    window: Window | None = None


def lines_of(mpi: Any, peers: Sequence[Peer], rank: int, before: Lines | None = None) -> Lines:
    """New communicators of the processes of one. All of them have to call it.

    Args:
        mpi: the one.
        peers: its processes.
        rank: the number of this one.
        before: those that the new ones are for, which some processes may have left in the middle of an operation. Their
            memory stays, and all go on from the last step that any of them has taken there.
    """
    if mpi is None:
        return Lines(None)
    whole, hosts = mpi.Dup(), [peer.host for peer in peers]
    machines = Counter(hosts)
    if len(machines) == 1 < len(hosts):
        if before is None:
            return Lines(whole, window=window_of(whole))
        if before.window is not None:
            before.window.shared.steps = max(whole.allgather(before.window.shared.steps))
        return Lines(whole, window=before.window)
    if len(machines) in (0, 1, len(hosts)) or len(set(machines.values())) > 1:
        return Lines(whole)
    machine, number = list(machines).index(hosts[rank]), hosts[:rank].count(hosts[rank])
    return Lines(whole, whole.Split(machine, rank), whole.Split(number, machine))


class Group(Protocol):
    """Processes that work together, as a communicator describes them.

    Attributes:
        mpi: mpi4py's communicator, for messages of the user's own; None for one process alone.
        lines: over which arrays are exchanged.
        meeting: where they meet (:mod:`autodiff.distributed.meetings`).
        left: whether this process has left an operation in the middle, as by Ctrl-C, whose messages are under way.
        name: how error texts call it.
        peers: the processes, in the order of their ranks.
        rank: the number of this process, from 0 on.
        size: how many processes there are.
        crowded: whether more of them are on this machine than it has cores for them.
    """

    mpi: Any
    lines: Lines
    meeting: Any
    left: bool
    name: str
    peers: tuple[Peer, ...]
    rank: int
    size: int
    crowded: bool

    def renew(self) -> None:
        """Take other communicators for arrays, since somebody has left an operation. All processes have to call it."""

    def close(self) -> None:
        """Give memory and messages back, at the end of the program."""


def outnumber_cores(peers: Sequence[Peer], rank: int) -> bool:
    """Whether more processes are on the machine of one of them than have cores; False where nobody can yield one."""
    if not peers or not hasattr(os, "sched_yield"):
        return False
    return sum(peer.host == peers[rank].host for peer in peers) > cores()


def cores() -> int:
    """How many cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
