"""`python -m benchmarks.contest.worker NAME THREADS`: one library, or the reference, in an interpreter of its own."""

from __future__ import annotations

import sys

from benchmarks.contest.closeness import WrongResultError
from benchmarks.contest.entrant import Entrant, Reference
from benchmarks.contest.peers import load
from benchmarks.serving import serve

REFERENCE = "reference"


def made(name: str, threads: int) -> Entrant | Reference:
    """Whoever answers."""
    return Reference() if name == REFERENCE else Entrant(load(name, threads))


if __name__ == "__main__":
    serve(lambda: made(sys.argv[1], int(sys.argv[2])), WrongResultError)
