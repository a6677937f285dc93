"""What recording costs: microseconds per operation on arrays so small that nothing else counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import autodiff

OPERATIONS = 1000
ROUNDS = 15


@dataclass(frozen=True)
class Overhead:
    """Microseconds per recorded operation: forward alone, and forward with backward."""

    forward: float
    total: float


def chain(x: Any, factors: Any, offsets: Any) -> Any:
    """`x * array`, `x + array` in turn, an array of its own for every operation."""
    for factor, offset in zip(factors, offsets):
        x = x * factor
        x = x + offset
    return x


def measure() -> tuple[Overhead, Overhead]:
    """Both faces, in turns, tracers first: the best of the rounds, for other programs may interrupt some."""
    generator = np.random.default_rng(0)
    x, seed = np.ones(10, np.float32), np.ones(10, np.float32)
    factors = list(generator.uniform(0.995, 1.005, (OPERATIONS // 2, 10)).astype(np.float32))
    offsets = list(generator.uniform(-0.01, 0.01, (OPERATIONS // 2, 10)).astype(np.float32))

    def tracers() -> tuple[Any, Callable[[], Any]]:
        out, pullback = autodiff.vjp(lambda traced: chain(traced, factors, offsets), x)
        return out, lambda: pullback(seed)

    def variables() -> tuple[Any, Callable[[], Any]]:
        out = chain(autodiff.Variable(x), factors, offsets)
        out.grad = seed
        return out, out.backward

    rounds = [(clock(tracers), clock(variables)) for _ in range(ROUNDS)]
    return best([first for first, _ in rounds]), best([second for _, second in rounds])


def clock(forward: Callable[[], tuple[Any, Callable[[], Any]]]) -> tuple[float, float]:
    """Seconds of `forward`, and of it and the backward run it returns."""
    start = perf_counter()
    out, backward = forward()
    middle = perf_counter()
    backward()
    del out, backward
    return middle - start, perf_counter() - start


def best(rounds: list[tuple[float, float]]) -> Overhead:
    """The shortest times, as microseconds per operation."""
    forward, total = (min(column) / OPERATIONS * 1e6 for column in zip(*rounds))
    return Overhead(forward, total)
