"""What a test session asks of all gradient tests, and what they found: the pytest plugin reads and writes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from autodiff.testing.summary import Summary


@dataclass
class Session:
    """What holds for all gradient tests of a process.

    Attributes:
        examples: how many arguments are drawn for each function; None leaves it to the hypothesis profile.
        seed: what is added to the seed of every function.
        listening: whether anybody takes the summaries.
        summaries: those of the functions that passed since they were taken last.
    """

    examples: int | None = None
    seed: int = 0
    listening: bool = False
    summaries: list[Summary] = field(default_factory=list)

    def add(self, summary: Summary) -> None:
        """Keep a summary for whoever listens."""
        if self.listening:
            self.summaries.append(summary)

    def taken(self) -> list[Summary]:
        """The summaries, which are forgotten here."""
        found, self.summaries = self.summaries, []
        return found


SESSION = Session()
