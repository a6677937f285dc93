"""What was found out about one row on a device, and which of its goals it meets."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.contest.result import Measurement, Result
from benchmarks.gpu_programs.program import FRACTION


@dataclass
class DeviceMeasurement(Measurement):
    """One library's figures.

    Attributes:
        explained: what it says of how the program runs.
        bytes: what a call reads and writes at least.
    """

    explained: str | None = None
    bytes: int | None = None


@dataclass
class DeviceResult(Result):
    """One row of the table.

    Attributes:
        copy: a copy of as many bytes, in the same rounds; None where it bounds nothing.
        skipped: why nobody was measured.
    """

    copy: Measurement | None = None
    skipped: str = ""

    @property
    def fraction(self) -> float | None:
        """Of the speed of a copy."""
        if self.ours is None or self.copy is None or not self.copy.measured:
            return None
        return self.copy.seconds / self.ours.seconds

    @property
    def missed_because(self) -> str:
        """Why a goal is missed; empty where all are met."""
        if self.skipped:
            return self.skipped
        if self.ours is None:
            return super().missed_because
        if self.best_peer is None:
            return "no peer measured"
        if self.row.goal is not None and (self.ratio or 0.0) > self.row.goal:
            return "too slow"
        if self.goal_of_copy and (self.fraction or 0.0) < FRACTION:
            return "below the speed of a copy"
        return ""

    @property
    def goal_of_copy(self) -> bool:
        """Whether the row must run nearly as fast as a copy: what is elementwise."""
        return self.copy is not None and self.program.name == "elementwise"
