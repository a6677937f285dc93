"""Weak and strong scaling: more processes with as much work for each, or with the same work for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autodiff.distributed.simulation.network import Network
from autodiff.distributed.simulation.replay import replay
from autodiff.distributed.simulation.steps import Step

PROCESSES = tuple(2**k for k in range(1, 13))
"""2 to 4,096."""


class Scaling(NamedTuple):
    """How long a step takes on some processes.

    Attributes:
        processes: how many.
        seconds: of a step.
        efficiency: the time that one process would need for as much, divided by the number of processes and by
            ``seconds``: 1 where messages and waiting cost nothing.

    >>> row = Scaling(processes=64, seconds=0.125, efficiency=0.8)
    >>> row.processes * row.efficiency  # as fast as so many that never wait
    51.2
    """

    processes: int
    seconds: float
    efficiency: float


def weak_scaling(
    steps: Sequence[Step], network: Network, processes: Sequence[int] = PROCESSES, algorithm: str = "own"
) -> list[Scaling]:
    """The time of a step where each process has as much to do as was recorded, so that the batch grows.

    Args:
        steps: recorded ones.
        network: the machines.
        processes: for which numbers.
        algorithm: as in :func:`replay`.

    >>> from autodiff.distributed.simulation import CLUSTER, Part, Step
    >>> step = Step((Part(1.0, "all_reduce", 8_000_000),), size=2)
    >>> [round(row.efficiency, 3) for row in weak_scaling([step], CLUSTER, (2, 256), "tree")]
    [0.997, 0.979]
    """
    alone = replay(steps, network._replace(cores=None), 1)
    times = [(count, replay(steps, network, count, algorithm)) for count in processes]
    return [Scaling(count, seconds, alone / seconds) for count, seconds in times]


def strong_scaling(
    steps: Sequence[Step],
    network: Network,
    processes: Sequence[int] = PROCESSES,
    algorithm: str = "own",
    serial: float = 0.0,
) -> list[Scaling]:
    """The time of a step where all processes together have as much to do as was recorded: the batch stays.

    Args:
        steps: recorded ones.
        network: the machines.
        processes: for which numbers.
        algorithm: as in :func:`replay`.
        serial: as in :func:`replay`: the share that each process computes, whatever its part of the batch.

    >>> from autodiff.distributed.simulation import CLUSTER, Part, Step
    >>> step = Step((Part(1.0, "all_reduce", 8_000_000),), size=2)
    >>> rows = strong_scaling([step], CLUSTER, (2, 16, 256, 4096), "hierarchical")
    >>> [round(row.efficiency, 2) for row in rows], bend(rows)
    ([1.0, 0.96, 0.55, 0.06], 4096)
    """
    size = steps[0].size if steps else 1
    alone = replay(steps, network._replace(cores=None), 1, work=size, serial=serial)
    found = []
    for count in processes:
        seconds = replay(steps, network, count, algorithm, work=size / count, serial=serial)
        found.append(Scaling(count, seconds, alone / (count * seconds)))
    return found


def bend(rows: Sequence[Scaling], efficiency: float = 0.5) -> int | None:
    """The first number of processes of which more than half is lost to messages and waiting; None if there is none.

    Args:
        rows: of :func:`weak_scaling` or :func:`strong_scaling`.
        efficiency: below which it bends.

    >>> bend([Scaling(2, 1.0, 0.9), Scaling(4, 0.9, 0.4)])
    4
    """
    return next((row.processes for row in rows if row.efficiency < efficiency), None)
