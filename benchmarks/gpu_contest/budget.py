"""How long a run may take: what is left is shared by the rows that are left, so that the table is always printed."""

from __future__ import annotations

from time import monotonic

RESERVE = 8.0  # seconds for the end of the run
SHARE = 2.0  # times its share of what is left that a row may take at most
LEAST = 6.0  # seconds without which no row begins
CHECKS = 0.35  # of the run that the small programs may take
PATIENCE = 90.0  # seconds for compiling a program, where there is time


class Budget:
    """Seconds until the table.

    Args:
        seconds: of the whole run.
        rows: to measure.
    """

    def __init__(self, seconds: float, rows: int) -> None:
        begin = monotonic()
        self.end, self.rows = begin + seconds, rows
        self.checks_end, self.row_end = begin + CHECKS * seconds, self.end

    @property
    def left(self) -> float:
        """Seconds for what still has to be measured."""
        return self.end - RESERVE - monotonic()

    @property
    def checks_left(self) -> float:
        """Seconds for small programs."""
        return min(self.left, self.checks_end - monotonic())

    def next_row(self) -> bool:
        """Begin a row; False where there is no time for one."""
        left, self.rows = self.left, self.rows - 1
        self.row_end = monotonic() + min(left, SHARE * left / (self.rows + 1))
        return left >= LEAST

    @property
    def row_left(self) -> float:
        """Seconds for this row."""
        return self.row_end - monotonic()

    @property
    def patience(self) -> float:
        """Seconds to wait for an answer of this row."""
        return max(1.0, min(PATIENCE, self.row_left))
