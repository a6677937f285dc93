"""Machines with some processes each, and how long messages between them take."""

from __future__ import annotations

from typing import NamedTuple


class Link(NamedTuple):
    """A way for messages: one of so many bytes takes ``latency + nbytes / bandwidth`` seconds.

    Attributes:
        latency: seconds from the call that sends no bytes to its arrival.
        bandwidth: bytes a second.

    >>> Link(1e-6, 1e9).seconds(1000)
    2e-06
    """

    latency: float
    bandwidth: float

    def seconds(self, nbytes: float) -> float:
        """How long a message takes that has the link for itself."""
        return self.latency + nbytes / self.bandwidth


class Network(NamedTuple):
    """Machines of equal size, with processes numbered one machine after the other.

    Attributes:
        within: between two processes of a machine.
        between: between machines, in each direction. All processes of a machine share its bandwidth.
        per_machine: how many processes a machine has.
        memory: bytes a second of all messages inside of a machine together.
        adding: bytes a second that a process adds to others.
        call: seconds that a process needs for a collective operation besides all messages.
        cores: how many processes of a machine run at once. Where there are more they take turns: computing and
            messages inside of the machine take so many times longer.
        switch: seconds that a message waits for its receiver to get a core where processes take turns.
        alone: whether messages move while processes compute, as network cards do it. Where processes move the bytes
            themselves, as on one machine, it is False, and nothing is won by sending early but some waiting: those
            exchanges are replayed where the step waits for them.
        copying: bytes a second that a process copies, while the others do so too: between its own memory and memory
            that the processes of a machine share.

    >>> laptop = Network(within=Link(2e-6, 4e9), between=Link(2e-6, 4e9), per_machine=4, cores=2)
    >>> laptop.turns(4), laptop.turns(2)
    (2.0, 1.0)
    """

    within: Link
    between: Link
    per_machine: int
    memory: float = float("inf")
    adding: float = 8e9
    call: float = 1e-5
    cores: int | None = None
    alone: bool = True
    switch: float = 0.0
    copying: float = 8e9

    def turns(self, processes: int) -> float:
        """How many processes share a core, of so many in all."""
        here = min(processes, self.per_machine)
        return max(1.0, here / (self.cores or here))


CLUSTER = Network(within=Link(1e-6, 8e9), between=Link(2e-6, 12e9), per_machine=16, memory=60e9)
"""Machines with 16 processes, 100 Gbit/s between them, and 60 GB/s for messages in each: figures of data sheets."""

ETHERNET = Network(within=Link(1e-6, 8e9), between=Link(3e-5, 1.2e9), per_machine=16, memory=60e9)
"""The same machines with 10 Gbit/s and 30 microseconds between them."""
