"""A regression on more data than memory holds: ``python -m benchmarks.chunked``.

The data are drawn chunk by chunk on the workers of a local cluster, and are never there as a whole. SciPy fits them
with gradients and Hessians of autodiff, which are graphs of tasks. The same fit on a sample that is in memory must give
the same parameters, since the targets have no noise; and what all processes together had in memory must be less than
the limit.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize

import autodiff
from benchmarks.environment import environment

FEATURES = 20
ROWS = 50_000  # of a chunk: 8 MB
SAMPLE = 4  # chunks
WORKERS = 2
TRUE = np.linspace(-1.0, 1.0, FEATURES)


def main(argv: list[str] | None = None) -> int:
    """Fit, compare, and say what it took; 1 if the parameters differ or the memory was not enough."""
    options = arguments().parse_args(argv)
    gigabytes = 0.1 if options.quick else options.gigabytes
    from dask.distributed import Client, LocalCluster  # noqa: PLC0415 - an optional extra

    limit = f"{options.memory * 0.35:.0f}MB"
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, memory_limit=limit, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        chunks = max(SAMPLE, round(gigabytes * 1e9 / (ROWS * FEATURES * 8)))
        begun = time.perf_counter()
        x, y = data(chunks)
        whole = fitted(x, y)
        seconds = time.perf_counter() - begun
        small = fitted(*(part.compute() for part in data(SAMPLE)))
        used = peak() + sum(client.run(peak).values())
    gap = float(np.max(np.abs(whole - small)))
    print(f"{x.nbytes / 1e9:.1f} GB in {chunks} chunks fitted in {seconds:.0f} s by {WORKERS} workers")
    print(f"largest difference to the fit of {SAMPLE * ROWS * FEATURES * 8 / 1e6:.0f} MB in memory: {gap:.1e}")
    print(f"largest memory of all {WORKERS + 1} processes together: {used:.0f} MB of {options.memory} MB")
    if options.json:
        found = {"gigabytes": x.nbytes / 1e9, "chunks": chunks, "seconds": seconds, "gap": gap, "megabytes": used}
        Path(options.json).write_text(json.dumps({"environment": environment(), **found}), encoding="utf-8")
    return int(gap > 1e-8 or used > options.memory)


def arguments() -> argparse.ArgumentParser:
    """What the command line takes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunked", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=20.0, help="how much data")
    parser.add_argument("--memory", type=int, default=2000, help="MB that all processes may take together")
    parser.add_argument("--quick", action="store_true", help="a tenth of a gigabyte: does everything run?")
    parser.add_argument("--json", metavar="PATH")
    return parser


def data(chunks: int) -> tuple[Any, Any]:
    """Features and targets in so many chunks; the first ones are the same whatever the number."""
    import dask.array as da  # noqa: PLC0415 - an optional extra

    x = da.map_blocks(drawn, chunks=((ROWS,) * chunks, (FEATURES,)), dtype=float, meta=np.empty((0, 0)))
    return x, x @ TRUE


def drawn(block_info: Any = None) -> np.ndarray[Any, Any]:
    """The features of one chunk, from a seed that is its number."""
    place = block_info[None]["chunk-location"][0]
    return np.random.default_rng(place).uniform(-0.5, 0.5, (ROWS, FEATURES))


def loss(w: Any, x: Any, y: Any) -> Any:
    """Half of the mean squared error of a linear function."""
    return np.mean((x @ w - y) ** 2) / 2


def fitted(x: Any, y: Any) -> Any:
    """The parameters that fit the data, lazy or not, by a trust region with exact derivatives."""
    first = remembered(lambda w: computed(*autodiff.value_and_grad(loss)(w, x, y)))
    found = scipy.optimize.minimize(
        lambda w: first(w)[0],
        np.zeros(FEATURES),
        jac=lambda w: first(w)[1],
        hess=lambda w: computed(autodiff.hessian(loss)(w, x, y))[0],
        method="trust-exact",
        options={"initial_trust_radius": 100.0, "max_trust_radius": 1000.0, "gtol": 1e-9},
    )
    return found.x


def remembered(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of an array that keeps its last result."""
    last: list[Any] = [None, None]

    def call(w: Any) -> Any:
        if last[0] is None or not np.array_equal(last[0], w):
            last[:] = w.copy(), fun(w)
        return last[1]

    return call


def computed(*graphs: Any) -> Any:
    """What graphs give, in one go over the data; plain arrays as they are."""
    import dask  # noqa: PLC0415 - an optional extra

    return dask.compute(*graphs)


def peak() -> float:
    """The most memory that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    sys.exit(main())
