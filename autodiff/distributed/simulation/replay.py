"""Steps replayed on any number of processes."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from autodiff.distributed.events import WAIT
from autodiff.distributed.simulation.algorithms import rounds_of
from autodiff.distributed.simulation.clocks import Array
from autodiff.distributed.simulation.network import Network
from autodiff.distributed.simulation.steps import Part, Step
from autodiff.trace.source import at_user_line


def replay(
    steps: Sequence[Step],
    network: Network,
    processes: int,
    algorithm: str = "own",
    work: float = 1.0,
    serial: float = 0.0,
    seed: int = 0,
    draws: int = 1,
) -> float:
    """The seconds of a step on some number of processes.

    Args:
        steps: recorded ones, which do the same operations; each process repeats one of them, drawn at random, so that
            processes wait for slow ones as they did.
        network: the machines.
        processes: how many.
        algorithm: of ``all_reduce``: ``"own"`` for what this package does, ``"ring"``, ``"tree"``, ``"hierarchical"``.
        work: how much each process has to compute, relative to what was recorded.
        serial: the share of recorded computing that does not depend on ``work``, as that of an optimizer.
        seed: of the draws.
        draws: how many times steps are drawn and replayed.

    Returns:
        the seconds until the last process is done: the median of all draws.

    Raises:
        ValueError: if there are no steps, they differ in their operations, or an operation or algorithm is unknown.

    >>> from autodiff.distributed.simulation import CLUSTER, Part, Step
    >>> step = Step((Part(1.0, "all_reduce", 1_000_000_000), Part(0.5)), size=2)
    >>> round(replay([step], CLUSTER, 1), 3), round(replay([step], CLUSTER, 1024, algorithm="ring"), 3)
    (1.5, 2.126)
    """
    if not steps or len({step.kind for step in steps}) > 1:
        raise ValueError(f"replay needs steps that do the same operations{at_user_line()}")
    seconds = np.array([[part.compute for part in step.parts] for step in steps])
    seconds *= (serial + (1 - serial) * work) * network.turns(processes)
    rng, found = np.random.default_rng(seed), []
    for _ in range(draws):
        replayed = Replay(network, processes, algorithm)
        for column, part in zip(seconds[rng.integers(len(steps), size=processes)].T, steps[0].parts, strict=True):
            replayed.do(column, part)
        found.append(float(np.max(replayed.clock)))
    return median(found)


class Replay:
    """The clocks of all processes in a step.

    Args:
        network: the machines.
        processes: how many.
        algorithm: of all-reduces.

    Attributes:
        clock: the time of each process.
        channel: when the exchanges end that nobody waits for yet.
        open: of those, the ones that move only where they are waited for.
    """

    def __init__(self, network: Network, processes: int, algorithm: str) -> None:
        self.network, self.processes, self.algorithm = network, processes, algorithm
        self.clock: Array = np.zeros(processes)
        self.channel: Array = np.zeros(processes)
        self.open: list[Part] = []

    def do(self, compute: Array, part: Part) -> None:
        """Compute, and do an operation or start it."""
        self.clock = self.clock + compute
        if part.name == WAIT:
            self.wait()
        elif part.overlapped and self.network.alone:
            self.channel = self.exchanged(np.maximum(self.channel, self.clock), part)
        elif part.overlapped:
            self.open.append(part)
        elif part.name:
            self.clock = self.exchanged(self.clock, part)

    def wait(self) -> None:
        """Wait for what was started."""
        self.clock = np.maximum(self.clock, self.channel)
        for part in self.open:
            self.clock = self.exchanged(self.clock, part)
        self.open = []

    def exchanged(self, clock: Array, part: Part) -> Array:
        """The time of each process after an operation that it begins at some time."""
        if self.processes == 1:
            return clock
        clock = clock + self.network.call
        for messages in rounds_of(part.name, part.nbytes, self.network, self.processes, self.algorithm):
            clock = messages.after(clock)
        return clock
