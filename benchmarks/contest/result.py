"""What was found out about one row with one number of threads, and whether its goal was met."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.contest.peers import OURS

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row

WORST = 1.3  # no ratio may be above it, whatever its goal


@dataclass
class Measurement:
    """One library's seconds a call in every round, or why there are none."""

    peer: str
    rounds: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)  # processor seconds a second
    interrupted: int = 0
    calls: int = 0  # in a sample
    error: float | None = None  # relative to the reference
    failure: str | None = None
    wrong: str | None = None
    left_out: str | None = None

    @property
    def measured(self) -> bool:
        """There are figures."""
        return bool(self.rounds) and not (self.failure or self.wrong)

    @property
    def seconds(self) -> float:
        """The median over the rounds."""
        return median(self.rounds)


@dataclass
class Result:
    """One row of the table with one number of threads."""

    program: Program
    row: Row
    threads: int
    measurements: dict[str, Measurement]

    @property
    def name(self) -> str:
        """Program and size."""
        return f"{self.program.name}, {self.row.size}"

    @property
    def ours(self) -> Measurement | None:
        """Our figures, if there are any."""
        found = self.measurements.get(OURS)
        return found if found is not None and found.measured else None

    @property
    def best_peer(self) -> Measurement | None:
        """The fastest of the others."""
        others = [found for name, found in self.measurements.items() if name != OURS and found.measured]
        return min(others, key=lambda found: found.seconds, default=None)

    @property
    def ratio(self) -> float | None:
        """Our time over the best peer's."""
        return None if self.ours is None or self.best_peer is None else self.ours.seconds / self.best_peer.seconds

    @property
    def native_ratio(self) -> float | None:
        """Our time over that of the program in C or C++ on the reference machine."""
        return None if self.ours is None or self.row.native is None else self.ours.seconds / self.row.native.seconds

    @property
    def met(self) -> bool:
        """The goal is met; where the best peer was not measured it is missed."""
        return not self.missed_because

    @property
    def missed_because(self) -> str:
        """Why the goal is missed; empty where it is met."""
        row = self.row
        if self.ours is None:
            return self.why_not(OURS)
        if row.rival is not None and not (row.rival in self.measurements and self.measurements[row.rival].measured):
            return self.why_not(row.rival)
        if row.goal is None:
            return ""
        ratio = self.native_ratio if row.native is not None else self.ratio
        return "" if ratio is not None and ratio <= row.goal else "too slow"

    def why_not(self, name: str) -> str:
        """Why somebody has no figures."""
        found = self.measurements.get(name)
        if found is None or not (found.wrong or found.failure):
            return f"{name} not measured"
        return f"{name}: wrong result" if found.wrong else f"{name} failed"

    @property
    def too_slow(self) -> bool:
        """Above what no row may be above."""
        return self.row.goal is not None and self.ratio is not None and self.ratio > WORST
