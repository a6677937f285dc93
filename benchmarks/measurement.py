"""What was found out about one subject on one case."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Measurement:
    """Microseconds per recorded operation in every round, or the error that prevented them."""

    subject: str
    operations: int | None = None
    forward_rounds: list[float] = field(default_factory=list)
    total_rounds: list[float] = field(default_factory=list)
    interrupted_rounds: int = 0
    failure: str | None = None

    @property
    def has_gradients(self) -> bool:
        """False for the floor, which only goes forward."""
        return self.subject != "numpy alone"

    @property
    def takes_part(self) -> bool:
        """The subject did not leave the case out."""
        return self.operations is not None or self.failure is not None

    @property
    def measured(self) -> bool:
        """There are figures."""
        return bool(self.total_rounds) and self.failure is None

    @property
    def forward(self) -> float:
        """Median over the rounds, forward only."""
        return median(self.forward_rounds)

    @property
    def total(self) -> float:
        """Median over the rounds: forward, backward, freeing the graph."""
        return median(self.total_rounds)

    @property
    def spread(self) -> float:
        """Interquartile range of the totals."""
        ordered = sorted(self.total_rounds)
        return ordered[3 * len(ordered) // 4] - ordered[len(ordered) // 4]
