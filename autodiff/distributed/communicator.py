"""Who works together: the processes of a communicator, and how they are found."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from autodiff.distributed.faults import end_together, watch
from autodiff.distributed.group import Lines, Peer, cores, lines_of, outnumber_cores
from autodiff.distributed.meetings import agree, meeting_of
from autodiff.trace.source import at_user_line

SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS", "PMIX_RANK")
"""What launchers of MPI programs tell the processes that they start."""


class Communicator:
    """Some processes that work together, each of which has a number, its rank.

    Use :func:`world` for all processes, and :meth:`split` for parts of them.

    Args:
        mpi: mpi4py's communicator, for messages of the user's own; None for one process alone.
        name: for error texts.
        peers: the processes, in the order of their ranks.

    Attributes:
        rank: the number of this process, from 0 on.
        size: how many processes there are.
        name: how error texts call it.
        lines: over which arrays are exchanged and added up.
        meeting: where the processes meet.
        left: whether this process has left an operation in the middle, as by Ctrl-C, and the others do not know yet.
        crowded: whether more of them are on this machine than it has cores: then they let others run while they wait.

    >>> alone = Communicator()
    >>> alone.rank, alone.size
    (0, 1)
    """

    __slots__ = ("crowded", "left", "lines", "meeting", "mpi", "name", "own_aside", "peers", "rank", "size")

    def __init__(self, mpi: Any = None, name: str = "world", peers: Sequence[Peer] = ()) -> None:
        self.mpi, self.name = mpi, name
        self.own_aside: Lines | None = None
        self.rank: int = 0 if mpi is None else mpi.Get_rank()
        self.size: int = 1 if mpi is None else mpi.Get_size()
        self.peers = tuple(peers)
        self.lines = lines_of(mpi, self.peers, self.rank)
        self.crowded = outnumber_cores(self.peers, self.rank)
        self.left = False
        self.meeting: Any = None
        if self.size > 1:
            self.meeting = meeting_of(self)
            OPEN.append(self)

    def __deepcopy__(self, memo: Any) -> Communicator:
        return self

    def __repr__(self) -> str:
        return f"<{self.name}: process {self.rank} of {self.size}>"

    def aside(self) -> Lines:
        """Communicators for messages beside the others, which overtake them. All processes have to call it."""
        if self.own_aside is None:
            agree(self, "messages that nobody waits for")
            self.own_aside = lines_of(self.mpi, self.peers, self.rank)
        return self.own_aside

    def renew(self) -> None:
        """Take other communicators for arrays, since somebody has left an operation. All processes have to call it.

        Messages of that operation which are still under way are none of the next one's.
        """
        self.left = False
        self.lines = lines_of(self.mpi, self.peers, self.rank, self.lines)
        if self.own_aside is not None:
            self.own_aside = lines_of(self.mpi, self.peers, self.rank, self.own_aside)

    def close(self) -> None:
        """Give memory and messages back, at the end of the program."""
        self.meeting.close()

    def split(self, color: int | None, key: int = 0) -> Communicator | None:
        """Communicators of the processes that gave the same color. All processes have to call it.

        Args:
            color: any int; None to be in none.
            key: ranks are in the order of keys, and of the ranks here where those are equal.

        Returns:
            the communicator in which this process is; None where its color is None.

        >>> Communicator().split(0)
        <world/0: process 0 of 1>
        """
        name = f"{self.name}/{color}"
        if self.size == 1:
            return None if color is None else Communicator(self.mpi, name, self.peers)
        agree(self, "split")
        colors: list[tuple[int | None, int]] = self.mpi.allgather((color, key))
        undefined = sys.modules["mpi4py.MPI"].UNDEFINED
        part = self.mpi.Split(undefined if color is None else color, key)
        if color is None:
            return None
        members = sorted((its, rank) for rank, (other, its) in enumerate(colors) if other == color)
        return Communicator(part, name, [self.peers[rank] for _, rank in members])

    def gather_objects(self, value: Any) -> list[Any]:
        """What all processes gave, in the order of ranks; anything that can be pickled.

        >>> Communicator().gather_objects("ready")
        ['ready']
        """
        if self.size == 1:
            return [value]
        agree(self, "gather_objects")
        return list(self.mpi.allgather(value))

    def broadcast_object(self, value: Any, root: int = 0) -> Any:
        """What one process gave; anything that can be pickled."""
        if self.size == 1:
            return value
        agree(self, "broadcast_object", [("root", root)])
        return self.mpi.bcast(value, root)


OPEN: list[Communicator] = []
"""The communicators of several processes. They live until the end, where all processes of each wait for each other."""

found: list[Communicator] = []
"""The world, once it was asked for."""


def world() -> Communicator:
    """The communicator of all processes that ``mpiexec`` has started; of this one alone without it.

    The first call starts MPI, and lets an exception that nobody catches, in whichever process, end all of them.

    Raises:
        ModuleNotFoundError: if the program was started by ``mpiexec`` and mpi4py is not installed.

    >>> world().size
    1
    """
    if not found:
        found.append(make_world())
    return found[0]


def make_world() -> Communicator:
    """The communicator of all processes."""
    launched = next((os.environ[name] for name in SIZES if name in os.environ), "1")
    if launched == "1" and "PMIX_RANK" not in os.environ and "mpi4py.MPI" not in sys.modules:
        return Communicator()
    share_memory()
    try:
        mpi = import_module("mpi4py.MPI")  # an extra, which starts MPI
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"the program was started as one of several processes{at_user_line()}, and mpi4py is not installed: pip "
            "install 'autodiff[mpi]'"
        ) from None
    return of_mpi(mpi.COMM_WORLD)


def share_memory() -> None:
    """Let MPICH send large arrays through memory that processes share, unless the user has decided.

    It would read them from the memory of their owner by a system call. Where all processes run at once and ask all the
    time, shared memory is faster: an exchange of 2 MB takes 0.25 ms in place of 0.38. It is slower where processes
    outnumber cores, since two of them have to run in turns for each piece.
    """
    if 0 < int(os.environ.get("MPI_LOCALNRANKS", "0")) <= cores():
        os.environ.setdefault("MPIR_CVAR_CH4_CMA_ENABLE", "0")


def of_mpi(mpi: Any, name: str = "world") -> Communicator:
    """The processes of mpi4py's communicator, as one of ours, with messages of its own. All of them have to call it.

    >>> of_mpi(None).size
    1
    """
    if mpi is None or mpi.Get_size() == 1:
        return Communicator(mpi, name)
    everyone = sys.modules["mpi4py.MPI"].COMM_WORLD
    here = Peer(everyone.Get_rank(), socket.gethostname(), os.getpid())
    made = Communicator(mpi.Dup(), name, mpi.allgather(here))
    watch(here, made.peers, everyone)
    end_together(OPEN)
    return made
