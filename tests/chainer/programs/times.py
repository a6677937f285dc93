"""Seconds that each program takes, by whichever Chainer the interpreter has: ``python -m tests.chainer.programs.times 3``.

The number is how often each runs after a first time, which is not counted: there compositions are compiled. What is
printed is JSON, for ``python -m benchmarks.chainer``.
"""

from __future__ import annotations

import json
import sys
import warnings
from time import perf_counter

from tests.chainer.programs.record import PROGRAMS


def seconds_of(name: str, rounds: int) -> list[float]:
    """Of every run but the first."""
    found = []
    for _ in range(rounds + 1):
        start = perf_counter()
        PROGRAMS[name]()
        found.append(perf_counter() - start)
    return found[1:]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps({name: seconds_of(name, int(sys.argv[1])) for name in PROGRAMS}))  # noqa: T201 - a command prints
