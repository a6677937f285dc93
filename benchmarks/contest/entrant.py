"""A library at work on one row: prepared, compared with the reference, and one timed sample after the other."""

from __future__ import annotations

import gc
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.compiled_programs.program import LeftOutError
from benchmarks.compiled_programs.table import ALL
from benchmarks.contest.closeness import compare, inputs_of, write_reference
from benchmarks.contest.peak import peak_bytes
from benchmarks.contest.trees import leaves
from benchmarks.entrant import version
from benchmarks.interruptions import interruptions

if TYPE_CHECKING:
    from benchmarks.contest.peers.peer import Peer
    from benchmarks.contest.work import Work

ATTEMPTS = 3  # at one sample
LONG = 0.1  # seconds; in a longer sample a few milliseconds do not matter
SHORT = 1e-3  # seconds; where a call takes less, several are timed for a guess


class Entrant:
    """Answers over a pipe, in a process of its own."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.work: Work | None = None

    def describe(self) -> dict[str, Any]:
        """Version and settings of the library."""
        return {"version": version(self.peer.distribution), **self.peer.settings()}

    def prepare(self, program: str, row: int, folder: str) -> dict[str, Any]:
        """Compile, run once, and compare; the error, or why the library has no part in it.

        Raises:
            WrongResultError: if a result is wrong.
        """
        chosen = ALL[program]
        chosen_row = chosen.rows[row]
        try:
            self.work = self.peer.work(chosen, chosen_row, inputs_of(chosen, chosen_row))
        except LeftOutError as reason:
            return {"left_out": str(reason)}
        results = [self.peer.plain(leaf) for leaf in leaves(self.work.result())]
        error = compare(chosen, chosen_row, results, Path(folder))
        del results
        gc.collect()
        gc.freeze()  # modules and inputs are nobody's garbage: each pays for what it makes in a sample
        return {"error": error}

    def guess(self) -> float:
        """About how long a call takes."""
        assert self.work is not None
        seconds = min(self.work.seconds(1) for _ in range(2))
        return seconds if seconds > SHORT else self.work.seconds(20) / 20

    def sample(self, calls: int) -> dict[str, Any]:
        """Seconds a call, processor seconds a second, and was it interrupted.

        As many calls before the sample, unless they take long, fill caches and wake threads and cores: a core that has
        rested computes slower for a while. A short sample that the system interrupted for another process is taken
        again.
        """
        assert self.work is not None
        for _ in range(ATTEMPTS):
            gc.collect()
            if self.work.seconds(1) < LONG:
                self.work.seconds(calls)
            before, processor = interruptions(), process_time()
            seconds = self.work.seconds(calls)
            busy = (process_time() - processor) / seconds
            interrupted = interruptions() != before
            if not interrupted or seconds > LONG:
                break
        return {"seconds": seconds / calls, "busy": busy, "interrupted": interrupted}

    def peak(self, program: str, row: int, folder: str) -> dict[str, Any]:
        """The memory that a call needs."""
        try:
            return dict(peak_bytes(self.peer, program, row, folder))
        except LeftOutError as reason:
            return {"left_out": str(reason)}

    def release(self) -> None:
        """Let go of inputs and of what was compiled."""
        self.work = None
        self.peer.release()
        gc.unfreeze()
        gc.collect()


class Reference:
    """Answers with the right results; in a process of its own, whose memory goes with it."""

    def write(self, program: str, row: int, folder: str) -> None:
        """One file for each result."""
        write_reference(ALL[program], ALL[program].rows[row], Path(folder))
