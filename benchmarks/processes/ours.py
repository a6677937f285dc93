"""Run by `mpiexec`: collective operations beside bare mpi4py, and data-parallel steps. Process 0 prints JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

import autodiff
from autodiff import distributed
from autodiff.chainer import functions
from benchmarks.processes.models import MODELS, RATE, STEPS_COMPARED, inputs, seconds_of_rounds

if TYPE_CHECKING:
    from collections.abc import Callable

BARE = MPI.COMM_WORLD
SIZES = tuple(8 * 8**k for k in range(7))  # bytes: 8 to 2 M
BUCKETS = (1 << 20, 1 << 22, 1 << 24)


def main(rounds: int) -> None:
    """Measure everything, in all processes."""
    distributed.world()
    found = {"collectives": collectives(rounds), "steps": {}, "losses": {}}
    for name in MODELS:
        found["steps"][name], found["losses"][name] = steps(name, rounds)
    if BARE.rank == 0:
        print(json.dumps(found))


def collectives(rounds: int) -> dict[str, dict[str, float]]:
    """Seconds of collective operations of arrays of so many bytes, ours and mpi4py's."""
    return {f"{name}, {size} bytes": of_size(name, size, rounds) for name in FORMS for size in SIZES}


def of_size(name: str, size: int, rounds: int) -> dict[str, float]:
    """The same of one operation and size; what it takes is that of many calls."""
    x = np.arange(size // 8, dtype=float)
    ours, bare = FORMS[name](x)
    np.testing.assert_allclose(ours(), bare(), rtol=1e-12)
    often = 50 if size < 1 << 16 else 5
    ways = {"autodiff": lambda: [ours() for _ in range(often)], "mpi4py": lambda: [bare() for _ in range(often)]}
    return {who: taken / often for who, taken in seconds_of_rounds(ways, BARE.Barrier, rounds).items()}


def received(call: Callable[..., Any], x: Any, shape: tuple[int, ...]) -> Callable[[], Any]:
    """A call of mpi4py's that returns what it has received, in a new array."""

    def run() -> Any:
        out = np.empty(shape)
        call(x, out)
        return out

    return run


def broadcast_bare(x: Any) -> Any:
    """mpi4py's broadcast of a copy."""
    out = x.copy()
    BARE.Bcast(out)
    return out


FORMS: dict[str, Callable[[Any], tuple[Callable[[], Any], Callable[[], Any]]]] = {
    "all_reduce": lambda x: (lambda: distributed.all_reduce(x), received(BARE.Allreduce, x, x.shape)),
    "all_gather": lambda x: (
        lambda: distributed.all_gather(x), received(BARE.Allgather, x, (BARE.size, *x.shape)),
    ),
    "broadcast":  lambda x: (lambda: distributed.broadcast(x, 0), lambda: broadcast_bare(x)),
}  # fmt: skip


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
        "jit, sent at the end": distributed.data_parallel(compiled),
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

    taken = seconds_of_rounds({way: whole(gradient) for way, gradient in ways.items()}, BARE.Barrier, rounds)
    return taken, losses


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
