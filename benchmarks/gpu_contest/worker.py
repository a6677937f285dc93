"""`python -m benchmarks.gpu_contest.worker NAME MEMORY [--stand-in]`: one library, or the reference, by itself."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from benchmarks.contest.worker import REFERENCE
from benchmarks.serving import serve

STANDIN = "--stand-in"


def made(name: str, memory: float, standin: bool) -> Any:
    """Whoever answers."""
    if standin:
        sys.modules.update(importlib.import_module("tests.standin.module").build())  # before anything asks for CuPy
    from benchmarks.gpu_contest.entrant import DeviceEntrant, DeviceReference  # noqa: PLC0415
    from benchmarks.gpu_contest.peers import load  # noqa: PLC0415
    from benchmarks.gpu_contest.peers.peer import Place  # noqa: PLC0415

    return DeviceReference(standin) if name == REFERENCE else DeviceEntrant(load(name, Place(standin, memory)))


if __name__ == "__main__":
    from benchmarks.contest.closeness import WrongResultError

    serve(lambda: made(sys.argv[1], float(sys.argv[2]), STANDIN in sys.argv), WrongResultError)
