"""The time of each process, and what rounds of messages make of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.distributed.simulation.network import Network

Array = np.ndarray[Any, Any]


class Round:
    """Messages that go at the same time, at most one to each process; what they share is shared by all of them.

    Args:
        network: on which they go.
        source: who sends to each process; -1 where nobody does.
        nbytes: of each message.
        added: whether what arrives is added to what is there.
        again: how often the round is done in all.

    Attributes:
        arrival: seconds from the time at which both are ready until a process has received.
        sending: seconds that a process needs to send.
    """

    def __init__(self, network: Network, source: Array, nbytes: float, added: bool = False, again: int = 1) -> None:
        size = len(source)
        self.again = again
        self.receives = source >= 0
        self.source = np.where(self.receives, source, np.arange(size))
        machine = np.arange(size) // network.per_machine
        near = machine == machine[self.source]
        far = self.receives & ~near
        machines = int(machine[-1]) + 1
        out = np.bincount(machine[self.source][far], minlength=machines)[machine[self.source]]
        into = np.bincount(machine[far], minlength=machines)[machine]
        inside = np.bincount(machine[self.receives & near], minlength=machines)[machine]
        turns = network.turns(size)
        slow = np.maximum(nbytes * turns / network.within.bandwidth, nbytes * inside / network.memory)
        across = nbytes * np.maximum(np.maximum(out, into), 1) / network.between.bandwidth
        moving = np.where(near, slow, across)
        latency = np.where(near, network.within.latency * turns, network.between.latency)
        latency = latency + network.switch * (turns - 1)
        adding = nbytes * turns / network.adding if added else 0.0
        self.arrival = np.where(self.receives, latency + moving + adding, 0.0)
        self.sending = np.zeros(size)
        self.sending[self.source[self.receives]] = moving[self.receives]

    def after(self, clock: Array) -> Array:
        """The time of each process after the round, from that before it."""
        for _ in range(self.again):
            received = np.maximum(clock, clock[self.source]) + self.arrival
            clock = np.maximum(received, clock + self.sending)
        return clock
