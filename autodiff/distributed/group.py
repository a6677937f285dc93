"""What messages need to know of the processes that they go between."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class Peer(NamedTuple):
    """A process: its number in the world, its machine and its number there."""

    rank: int
    host: str
    pid: int


class Group(Protocol):
    """Processes that work together, as a communicator describes them.

    Attributes:
        mpi: mpi4py's communicator; None for one process alone.
        name: how error texts call it.
        peers: the processes, in the order of their ranks.
        rank: the number of this process, from 0 on.
        size: how many processes there are.
    """

    mpi: Any
    name: str
    peers: tuple[Peer, ...]
    rank: int
    size: int
