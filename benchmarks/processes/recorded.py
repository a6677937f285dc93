"""Run by `mpiexec`: the network of these processes, and steps as they were. Process 0 prints JSON."""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from typing import Any

import numpy as np

import autodiff
from autodiff import distributed
from autodiff.distributed import simulation

EXAMPLES = 64
"""Of each process, however many there are."""

WIDTHS = {"wide": (784, 1000, 1000, 10), "deep": (256, *[256] * 8, 10)}


def main(rounds: int) -> None:
    """Measure and record everything, in all processes."""
    comm = distributed.world()
    network = simulation.measure_network()
    found = {name: recorded(widths, bucket, rounds) for (name, widths, bucket) in cases()}
    if comm.rank == 0:
        print(json.dumps({"network": network, "cases": found}))


def cases() -> list[tuple[str, tuple[int, ...], int | None]]:
    """The networks, each sent at the end and in buckets of 256 KiB."""
    ways = (("sent at the end", None), ("in buckets", 1 << 18))
    return [(f"{name}, {way}", widths, bucket) for name, widths in WIDTHS.items() for way, bucket in ways]


def recorded(widths: tuple[int, ...], bucket: int | None, rounds: int) -> Any:
    """The steps of all processes, and the seconds of each of as many other ones, until the last process is done."""
    comm, rng = distributed.world(), np.random.default_rng(0)
    parameters = [(rng.normal(0, a**-0.5, (a, b)).astype(np.float32)) for a, b in pairwise(widths)]
    x = rng.normal(size=(EXAMPLES * comm.size, widths[0])).astype(np.float32)

    def loss(parameters: Any, x: Any) -> Any:
        for weights in parameters[:-1]:
            x = np.maximum(x @ weights, 0)
        return np.mean((x @ parameters[-1]) ** 2)

    parallel = distributed.data_parallel(autodiff.jit(autodiff.grad(loss)), bucket=bucket)

    def step() -> Any:
        return [p - np.float32(0.01) * g for p, g in zip(parameters, parallel(parameters, x))]

    steps = simulation.record_steps(step, times=rounds)
    taken = []
    for _ in range(rounds):
        comm.gather_objects(None)
        begun = time.perf_counter()
        step()
        taken.append(max(comm.gather_objects(time.perf_counter() - begun)))
    return {"steps": steps, "seconds": taken}


if __name__ == "__main__":
    main(int(sys.argv[1]))
