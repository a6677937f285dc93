"""Outcomes kept in a file, one a line, so that a long run goes on where it ended."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.gradient_testing.outcomes import Outcome


class Kept:
    """The outcomes of earlier runs, and of this one.

    Args:
        path: the file; None keeps nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        there = path is not None and path.exists()
        self.earlier: list[Outcome] = [json.loads(line) for line in path.read_text().splitlines()] if there else []

    def of_seed(self, seed: int) -> list[Outcome]:
        """What earlier runs found with a seed."""
        return [one for one in self.earlier if one["seed"] == seed]

    def add(self, outcome: Outcome) -> None:
        """Write one outcome down."""
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps(outcome) + "\n")
