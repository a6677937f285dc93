"""Run by `mpiexec`: collective operations beside bare mpi4py, and data-parallel steps. Process 0 prints JSON."""

from __future__ import annotations

import itertools
import json
import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

import autodiff
from autodiff import distributed
from autodiff.chainer import functions
from benchmarks.processes.models import MODELS, RATE, STEPS_COMPARED, inputs, seconds_of_rounds

if TYPE_CHECKING:
    from collections.abc import Callable

distributed.world()  # with its settings of MPI, for everybody
BARE = import_module("mpi4py.MPI").COMM_WORLD
SIZES = tuple(8 * 8**k for k in range(7))  # bytes: 8 to 2 M
BUCKETS = (1 << 20, 1 << 22, 1 << 24)
CALLS = 400


def main(rounds: int) -> None:
    """Measure everything, in all processes."""
    found = {"collectives": collectives(rounds), "memory": memory_bandwidth(rounds), "steps": {}, "losses": {}}
    found["gradients"] = {name: sum(a.nbytes for pair in inputs(name)[0] for a in pair) for name in MODELS}
    for name in MODELS:
        found["steps"][name], found["losses"][name] = steps(name, rounds)
    if BARE.rank == 0:
        print(json.dumps(found))


def memory_bandwidth(rounds: int) -> float:
    """Bytes a second that this process reads and writes while all of them copy arrays that are in no cache."""
    arrays = [np.ones(1 << 20) for _ in range(16)]
    turn = itertools.cycle(range(len(arrays)))

    def copy() -> None:
        k = next(turn)
        np.copyto(arrays[k], arrays[k - 5])

    return 2 * arrays[0].nbytes / seconds_of_rounds({"copy": copy}, BARE.Barrier, 4 * rounds)["copy"]


def collectives(rounds: int) -> dict[str, dict[str, float]]:
    """Seconds of collective operations of arrays of so many bytes, ours and mpi4py's."""
    return {f"{name}, {size} bytes": of_size(name, size, rounds) for name in FORMS for size in SIZES}


def of_size(name: str, size: int, rounds: int) -> dict[str, float]:
    """The same of one operation and size; what it takes is that of many calls."""
    x = np.arange(size // 8, dtype=float)
    ours, bare, shape = FORMS[name]
    kept = np.empty(shape(x))
    calls = {
        "autodiff": lambda: ours(x),
        "mpi4py": lambda: bare(x, np.empty(shape(x))),
        "mpi4py, array kept": lambda: bare(x, kept),
    }
    for call in calls.values():
        np.testing.assert_allclose(call(), calls["mpi4py"](), rtol=1e-12)
    often = 50 if size < 1 << 16 else 5
    ways = {who: repeated(call, often) for who, call in calls.items()}
    return {who: taken / often for who, taken in seconds_of_rounds(ways, BARE.Barrier, rounds).items()}


def repeated(call: Callable[[], Any], often: int) -> Callable[[], Any]:
    """So many calls as one."""
    return lambda: [call() for _ in range(often)]


def all_reduced(x: Any, out: Any) -> Any:
    """mpi4py's all-reduce."""
    BARE.Allreduce(x, out)
    return out


def all_gathered(x: Any, out: Any) -> Any:
    """mpi4py's all-gather."""
    BARE.Allgather(x, out)
    return out


def broadcast(x: Any, out: Any) -> Any:
    """mpi4py's broadcast of a copy."""
    out[...] = x
    BARE.Bcast(out)
    return out


FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any], Callable[[Any], tuple[int, ...]]]] = {
    "all_reduce": (distributed.all_reduce, all_reduced, lambda x: x.shape),
    "all_gather": (distributed.all_gather, all_gathered, lambda x: (BARE.size, *x.shape)),
    "broadcast": (distributed.broadcast, broadcast, lambda x: x.shape),
}
"""Our operation, mpi4py's into a given array, and the shape of that."""


def steps(name: str, rounds: int) -> tuple[dict[str, float], list[float]]:
    """Seconds of a training step each way, and the losses of the first steps."""
    parameters, images, labels = inputs(name)
    layers = MODELS[name][1][1]

    def loss(parameters: Any, images: Any, labels: Any) -> Any:
        x, remaining = images, iter(parameters)
        for kind, *numbers in layers:
            if kind == "pool":
                x = functions.max_pooling_2d(x, 2)
            elif kind == "conv":
                x = functions.relu(functions.convolution_2d(x, *next(remaining), pad=numbers[-1]))
            else:
                x = functions.relu(functions.linear(x, *next(remaining)))
        return functions.softmax_cross_entropy(functions.linear(x, *next(remaining)), labels)

    eager = autodiff.value_and_grad(loss)
    compiled = autodiff.jit(eager)
    first, last = (len(images) * (BARE.rank + k) // BARE.size for k in (0, 1))
    ways = {
        "eager, no messages": lambda p, x, t: eager(p, x[first:last], t[first:last]),
        "eager, sent at the end": distributed.data_parallel(eager, bucket=None),
        **{f"eager, buckets of {size >> 20} MiB": distributed.data_parallel(eager, bucket=size) for size in BUCKETS},
        "jit, no messages": lambda p, x, t: compiled(p, x[first:last], t[first:last]),
        "jit, sent at the end": distributed.data_parallel(compiled, bucket=None),
        **{f"jit, buckets of {size >> 20} MiB": distributed.data_parallel(compiled, bucket=size) for size in BUCKETS},
    }
    wanted = eager(parameters, images, labels)
    for way, gradient in ways.items():
        if not way.endswith("no messages"):
            check(gradient(parameters, images, labels), wanted)
    losses, now = [], parameters
    for _ in range(STEPS_COMPARED):
        value, gradients = ways["eager, sent at the end"](now, images, labels)
        now = descended(now, gradients)
        losses.append(float(value))

    def whole(gradient: Any) -> Callable[[], Any]:
        return lambda: descended(parameters, gradient(parameters, images, labels)[1])

    if rounds > STEPS_COMPARED:  # until compositions that are called often are compiled
        for _ in range(CALLS):
            ways["eager, no messages"](parameters, images, labels)
    taken = seconds_of_rounds({way: whole(gradient) for way, gradient in ways.items()}, BARE.Barrier, rounds)
    for kind in ("eager", "jit"):
        taken[f"{kind}, alone"] = seconds_alone(whole(ways[f"{kind}, no messages"]), rounds)
    return taken, losses


def seconds_alone(step: Callable[[], Any], rounds: int) -> float:
    """The seconds of a step of process 0 while the others do nothing."""
    found = {"alone": 0.0}
    if BARE.rank == 0:
        found = seconds_of_rounds({"alone": step}, lambda: None, rounds)
    waiting = BARE.Ibarrier()
    while not waiting.Test():
        time.sleep(0.001)
    return found["alone"]


def descended(parameters: Any, gradients: Any) -> Any:
    """The parameters after a step of plain gradient descent."""
    return [
        [array - np.float32(RATE) * slope for array, slope in zip(pair, slopes)]
        for pair, slopes in zip(parameters, gradients)
    ]


def check(found: Any, wanted: Any) -> None:
    """Refuse a gradient that is not that of one process."""
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-4)
    for pair, other in zip(found[1], wanted[1], strict=True):
        for one, two in zip(pair, other, strict=True):
            np.testing.assert_allclose(one, two, rtol=0, atol=2e-3 * np.max(np.abs(two)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
