"""How much memory a call needs: the largest resident set of the process, as Linux keeps it."""

from __future__ import annotations

import ctypes
import gc
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.compiled_programs.table import ALL
from benchmarks.contest.closeness import compare, inputs_of
from benchmarks.contest.trees import leaves

if TYPE_CHECKING:
    from benchmarks.contest.peers.peer import Peer

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"
SMALL = (100_000,)  # large enough to be run as the large one is


def peak_bytes(peer: Peer, program: str, row: int, folder: str) -> dict[str, float]:
    """Bytes at the peak of the second call, above what was there before the first one.

    A call on a tenth of the elements comes first, so that compilers and thread pools are loaded. What a library keeps
    from one call to the next counts as its own; `above_second` is the peak without it.

    Raises:
        WrongResultError: if a result is wrong.
    """
    chosen = ALL[program]
    chosen_row = chosen.rows[row]
    small = replace(chosen_row, parameters=SMALL)
    peer.work(chosen, small, inputs_of(chosen, small)).result()
    work = peer.work(chosen, chosen_row, inputs_of(chosen, chosen_row))
    start = settled()
    work.result()
    second = settled()
    CLEAR.write_text(RESET_PEAK)
    results = [peer.plain(leaf) for leaf in leaves(work.result())]
    peak = status("VmHWM")
    error = compare(chosen, chosen_row, results, Path(folder))
    return {"bytes": peak - start, "above_second": peak - second, "error": error}


def settled() -> int:
    """The resident set, after what is free has gone back to the system."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return status("VmRSS")


def status(name: str) -> int:
    """A figure of this process, in bytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name + ":"))
    return int(line.split()[1]) * 1024
