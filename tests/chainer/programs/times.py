"""Seconds that each program takes, by whichever Chainer the interpreter has: ``python -m tests.chainer.programs.times 3``.

The number is how often each runs after a first time, which is not counted: there compositions are compiled. What is
printed last, on a line of its own, is JSON, for ``python -m benchmarks.chainer``. Programs print before it: Chainer's
ProgressBar draws on standard output, whatever its ``out`` is, and leaves the cursor in a line that is not empty.
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


def main(rounds: int) -> None:
    """Run all; print the seconds of each."""
    warnings.simplefilter("ignore")
    seconds = {name: seconds_of(name, rounds) for name in PROGRAMS}
    print(f"\n{json.dumps(seconds)}")  # noqa: T201 - a command prints


if __name__ == "__main__":
    main(int(sys.argv[1]))
