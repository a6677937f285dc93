"""`python -m benchmarks.cliffs`: a loop of 200 steps over three numbers, its gradient, and one operation more in it.

The figures are milliseconds a call, the best of many, of ours, of JAX where it is installed, and of ours without the
operation. In pairs both ways of writing one thing are ours. Whoever is wrong ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import autodiff
from autodiff.scipy import special
from benchmarks.cliffs.operations import OPERATIONS, PAIRS

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.cliffs.operations import Operation

STEPS = 200
START, SCALE = np.array([0.3, -0.2, 0.8]), np.array([1.1, 0.9, 1.05])
TIMES_BASE, PAIR = 5.0, 1.3  # the goals: of the loop without the operation, and of one way of writing to the other
DEARER = {"sort", "argsort", "median", "quantile", "inv", "solve", "det", "slogdet", "cholesky", "eigh", "qr", "svd"}


def ours(operation: Operation) -> Callable[..., Any]:
    """The gradient, compiled."""

    def loss(x: Any, w: Any) -> Any:
        def step(c: Any, k: Any) -> Any:
            return 0.5 * np.tanh(operation(np, special, c * w + 0.1)) + 0.4 * c + k, None

        return np.sum(autodiff.scan(step, x, np.linspace(0, 0.1, STEPS))[0])

    return autodiff.jit(autodiff.grad(loss, (0, 1)))


def theirs(operation: Operation) -> Callable[..., Any]:
    """The same by JAX."""
    import jax  # noqa: PLC0415 - a peer, which need not be there
    import jax.numpy as jnp  # noqa: PLC0415

    jax.config.update("jax_enable_x64", True)

    def loss(x: Any, w: Any) -> Any:
        def step(c: Any, k: Any) -> Any:
            return 0.5 * jnp.tanh(operation(jnp, jax.scipy.special, c * w + 0.1)) + 0.4 * c + k, None

        return jnp.sum(jax.lax.scan(step, x, jnp.linspace(0, 0.1, STEPS))[0])

    compiled = jax.jit(jax.grad(loss, (0, 1)))
    return lambda x, w: jax.block_until_ready(compiled(x, w))


def milliseconds(function: Callable[..., Any], seconds: float) -> float:
    """The best of all calls in so many seconds, five at least."""
    function(START, SCALE)
    best, end, count = float("inf"), time.perf_counter() + seconds, 0
    while count < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        function(START, SCALE)
        best, count = min(best, time.perf_counter() - start), count + 1
    return best * 1e3


def wrong(function: Callable[..., Any], operation: Operation) -> float:
    """How far the gradient is from that without compiler, in proportion to the largest element."""

    def loss(x: Any, w: Any) -> Any:
        c = x
        for k in np.linspace(0, 0.1, STEPS):
            c = 0.5 * np.tanh(operation(np, special, c * w + 0.1)) + 0.4 * c + k
        return np.sum(c)

    expected = autodiff.grad(loss, (0, 1))(START, SCALE)
    largest = max(float(np.max(np.abs(e))) for e in expected) or 1.0
    return max(float(np.max(np.abs(f - e))) for f, e in zip(function(START, SCALE), expected, strict=True)) / largest


def main(given: list[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cliffs", description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="only these operations and pairs")
    parser.add_argument("--quick", action="store_true", help="five calls each: a smoke test, not a measurement")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all figures to this file")
    options = parser.parse_args(given)
    seconds = 0.0 if options.quick else 0.3
    try:
        import jax  # noqa: F401, PLC0415 - a peer, which need not be there
    except ImportError:
        jax_is_there = False
        print("jax: not installed")
    else:
        jax_is_there = True
    base = milliseconds(ours(lambda np, sp, c: c), seconds)
    rows, bad = [{"operation": "none", "ours": base}], 0
    print(f"{'operation':30} {'ours ms':>9} {'/ base':>7} {'/ jax':>7}\n{'(none)':30} {base:9.3f}")
    for name, operation in OPERATIONS.items():
        if options.only and name not in options.only:
            continue
        function = ours(operation)
        found = milliseconds(function, seconds)
        peer = peer_time(operation, seconds) if jax_is_there else None
        off = wrong(function, operation)
        bad += off > 1e-6
        misses = found > (TIMES_BASE * base if name not in DEARER else float("inf")) or (peer or found) < found
        note = f"WRONG by {off:.1e}" if off > 1e-6 else "missed" if misses else ""
        print(
            f"{name:30} {found:9.3f} {found / base:7.1f} {f'{found / peer:7.2f}' if peer else '':>7}  {note}",
            flush=True,
        )
        rows.append({"operation": name, "ours": found, "jax": peer, "error": off})
    for name, pair in PAIRS.items():
        if options.only and name not in options.only:
            continue
        first, second = (milliseconds(ours(operation), seconds) for operation in pair)
        ratio = max(first, second) / min(first, second)
        print(f"{name:30} {first:9.3f} {second:9.3f} {ratio:7.2f}  {'missed' if ratio > PAIR else ''}", flush=True)
        rows.append({"pair": name, "ours": [first, second]})
    if options.json is not None:
        options.json.write_text(json.dumps({"unit": "ms", "rows": rows}, indent=1) + "\n")
    return int(bad > 0)


def peer_time(operation: Operation, seconds: float) -> float | None:
    """JAX's time; None where it has no such operation."""
    try:
        return milliseconds(theirs(operation), seconds)
    except Exception as error:
        print(f"  jax: {type(error).__name__}: {str(error).splitlines()[0][:90]}")
        return None


if __name__ == "__main__":
    sys.exit(main())
