"""The constants of the processes that there are."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from autodiff.distributed.collectives import all_reduce
from autodiff.distributed.communicator import Communicator, world
from autodiff.distributed.group import cores
from autodiff.distributed.simulation.network import Link, Network
from autodiff.distributed.sums import total
from autodiff.trace.source import at_user_line

LARGE, ARRAYS = 1 << 22, 16
"""Bytes of a large message, and so many arrays take turns: those of a step are in no cache, either."""

MEAN = (0.5, 0.5)
"""The weights of a mean of two: gradients are added so."""


def measure_network(comm: Communicator | None = None, rounds: int = 20) -> Network:
    """The network of the machine on which these processes are, by messages between the first two.

    Latency is half of the time in which a byte goes there and back; bandwidth is that of messages of 4 MiB in both
    directions at once, from and to memory. All processes have to call it, and get the same.

    Args:
        comm: who takes part; all processes if None.
        rounds: so many measurements of each kind; small messages get fifty times as many.

    Raises:
        ValueError: if there is one process only.

    >>> measure_network()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: measure_network needs two processes or more ...: mpiexec -n 2 python ...
    """
    comm = world() if comm is None else comm
    if comm.size == 1:
        raise ValueError(f"measure_network needs two processes or more{at_user_line()}: mpiexec -n 2 python ...")
    comm.gather_objects(None)
    found = None
    if comm.rank < 2:
        latency = there_and_back(comm, rounds * 50) / 2
        arrays = [np.ones(LARGE // 8) for _ in range(ARRAYS)]
        moving = exchange(comm, arrays, rounds)
        adding = seconds_of(lambda k: total([arrays[k], arrays[k - 1]], MEAN, arrays[k - 2]), rounds)
        copying = seconds_of(lambda k: np.copyto(arrays[k], arrays[k - 1]), rounds)
        found = latency, LARGE / max(moving - latency, 1e-9), LARGE / adding, LARGE / copying
    latency, bandwidth, adding_rate, copying_rate = comm.broadcast_object(found)
    link = Link(latency, bandwidth)
    network = Network(link, link, comm.size, adding=adding_rate, copying=copying_rate, cores=cores(), alone=False)
    call, switch = comm.broadcast_object(call_seconds(comm, latency, rounds))
    return network._replace(call=call, switch=switch)


def exchange(comm: Communicator, arrays: list[Any], rounds: int) -> float:
    """The seconds of messages between processes 0 and 1, in both directions at once."""
    other = 1 - comm.rank
    return seconds_of(lambda k: comm.mpi.Sendrecv(arrays[k], other, 0, arrays[k - 1], other, 0), rounds)


def there_and_back(comm: Communicator, rounds: int) -> float:
    """The seconds of a byte from process 0 to process 1 and back."""
    out, into = np.zeros(1, np.uint8), np.zeros(1, np.uint8)

    def turn(_: int) -> None:
        if comm.rank == 0:
            comm.mpi.Send(out, 1)
            comm.mpi.Recv(into, 1)
        else:
            comm.mpi.Recv(into, 0)
            comm.mpi.Send(out, 0)

    return seconds_of(turn, rounds)


def call_seconds(comm: Communicator, latency: float, rounds: int) -> tuple[float, float]:
    """What a small all-reduce takes besides its messages, and how long a message waits for a core that is shared."""
    pair = comm.split(0 if comm.rank < 2 else 1)
    assert pair is not None
    small, switch = np.ones(1), 0.0
    apart = seconds_of(lambda _: all_reduce(small, comm=pair), rounds * 50)
    if hasattr(os, "sched_setaffinity") and pair.size > 1:
        before, crowded = os.sched_getaffinity(0), pair.crowded
        try:
            os.sched_setaffinity(0, {min(before)})
            pair.crowded = True
            together = average_seconds(lambda: all_reduce(small, comm=pair), rounds * 50)
        finally:
            os.sched_setaffinity(0, before)
            pair.crowded = crowded
        switch = together - 2 * apart  # each waits once for the other
    return max(apart - latency, 0.0), max(switch, 0.0)


def average_seconds(call: Callable[[], Any], rounds: int) -> float:
    """The seconds of a call on the average: some find their core free, and others wait for long."""
    begun = time.perf_counter()
    for _ in range(rounds):
        call()
    return (time.perf_counter() - begun) / rounds


def seconds_of(call: Callable[[int], Any], rounds: int) -> float:
    """The seconds of a call: the median of the faster half, since other programs only make calls slower."""
    taken = []
    for number in range(rounds):
        begun = time.perf_counter()
        call(number % ARRAYS)
        taken.append(time.perf_counter() - begun)
    return median(sorted(taken)[: -(-rounds // 2)])
