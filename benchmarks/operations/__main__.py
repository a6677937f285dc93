"""`python -m benchmarks.operations`: value and gradient of one call, without `jit`, beside PyTorch and NumPy alone.

Libraries take turns, on one thread; a figure is the median of the faster half of all rounds. The first argument is
differentiated, the others are plain. Whoever is wrong ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.threads import pin

if __name__ == "__main__":
    pin()

import numpy as np

import autodiff
from benchmarks.environment import environment
from benchmarks.operations.functions import LARGE_ROWS, SMALL_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.operations.functions import Row

GOALS = {"small": 0.8, "large": 1.1}
"""Of PyTorch's time."""


def arguments_of(row: Row) -> list[Any]:
    """The same for everybody."""
    random = np.random.default_rng(0)
    found = [random.normal(size=shape) for shape in row.shapes]
    if row.shapes[0] == (10, 10):
        found[0] = found[0] + 4 * np.eye(10)
    return [np.abs(array) + 0.5 for array in found] if row.positive else found


def weights_of(row: Row, arrays: list[Any]) -> Any:
    """By which the function's values are multiplied before they are added up."""
    return np.cos(np.arange(np.size(row.ours(*arrays)))).reshape(np.shape(row.ours(*arrays)))


def with_tracers(row: Row, arrays: list[Any], weights: Any) -> Callable[[], Any]:
    """Ours by `value_and_grad`."""
    gradient = autodiff.value_and_grad(lambda *args: np.sum(row.ours(*args) * weights))
    return lambda: gradient(*arrays)


def with_variables(row: Row, arrays: list[Any], weights: Any) -> Callable[[], Any]:
    """Ours by `backward()`."""
    x = autodiff.Variable(arrays[0])

    def run() -> Any:
        x.cleargrad()
        loss = np.sum(row.ours(x, *arrays[1:]) * weights)
        loss.backward()
        return loss.array, x.grad

    return run


def with_torch(row: Row, arrays: list[Any], weights: Any) -> Callable[[], Any]:
    """PyTorch's."""
    import torch  # noqa: PLC0415 - a peer, which need not be there

    torch.set_num_threads(1)
    x, *rest, factors = (torch.tensor(array) for array in (*arrays, weights))
    x.requires_grad_()

    def run() -> Any:
        x.grad = None
        loss = torch.sum(row.theirs(torch, x, *rest) * factors)
        loss.backward()
        return loss.detach().numpy(), x.grad.numpy()

    return run


def by_numpy(row: Row, arrays: list[Any], weights: Any) -> Callable[[], Any]:
    """The value alone, by NumPy: the floor of a forward pass."""
    return lambda: (np.sum(row.ours(*arrays) * weights), None)


WAYS: dict[str, Callable[[Row, list[Any], Any], Callable[[], Any]]] = {
    "tracers": with_tracers,
    "Variables": with_variables,
    "torch": with_torch,
    "value by NumPy": by_numpy,
}


def measured(row: Row, rounds: int, seconds: float) -> dict[str, float]:
    """Microseconds of a call in each way.

    Raises:
        ArithmeticError: if somebody's value or gradient is another one.
    """
    arrays = arguments_of(row)
    weights = weights_of(row, arrays)
    ways: dict[str, Callable[[], Any]] = {}
    for name, way in WAYS.items():
        try:
            ways[name] = way(row, arrays, weights)
        except ModuleNotFoundError:
            continue
    value, gradient = ways["tracers"]()
    for name, run in ways.items():
        its, slope = run()
        right = slope is None or np.allclose(slope, gradient, rtol=1e-8, atol=1e-10)
        if not (right and np.allclose(its, value, rtol=1e-8)):
            raise ArithmeticError(f"{row.name}: {name} has another value or gradient than tracers")
    gc.collect()
    gc.freeze()  # nobody pays for the objects of another's modules
    often = {name: calls_in(seconds, run) for name, run in ways.items()}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            begun = time.perf_counter()
            for _ in range(often[name]):
                run()
            taken[name].append((time.perf_counter() - begun) / often[name])
    return {name: 1e6 * median(sorted(found)[: -(-rounds // 2)]) for name, found in taken.items()}


def calls_in(seconds: float, run: Callable[[], Any]) -> int:
    """How many calls take so long."""
    begun = time.perf_counter()
    run()
    return max(1, int(seconds / (time.perf_counter() - begun)))


def main(given: list[str] | None = None) -> int:
    """Measure, print, write; 1 if a goal is missed or something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.operations", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="does everything run? the figures mean nothing")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the figures to this file")
    options = parser.parse_args(given)
    found: dict[str, dict[str, float]] = {}
    missed = 0
    for size, rows in (("small", SMALL_ROWS), ("large", LARGE_ROWS)):
        print(f"{size} arrays, us a call; goal: {GOALS[size]} of torch")
        print(f"  {'':32}" + "".join(f"{name:>16}" for name in WAYS) + f"{'/ torch':>16}")
        for row in rows:
            try:
                taken = found[row.name] = measured(row, *((2, 1e-4) if options.quick else (21, 2e-3)))
            except ArithmeticError as error:
                print(f"aborted: {error}", file=sys.stderr)
                return 1
            ratios = [taken[name] / taken["torch"] for name in ("tracers", "Variables") if "torch" in taken]
            missed += any(ratio > GOALS[size] for ratio in ratios)
            figures = "".join(f"{taken[name]:16.2f}" if name in taken else f"{'absent':>16}" for name in WAYS)
            print(f"  {row.name:32}{figures}   {'  '.join(f'{ratio:.2f}' for ratio in ratios)}", flush=True)
    print(f"{missed} of {len(found)} rows miss their goal")
    if options.json is not None:
        options.json.write_text(json.dumps({"environment": environment(), "rows": found}, indent=1) + "\n")
    return int(not options.quick and missed > 0)


if __name__ == "__main__":
    sys.exit(main())
