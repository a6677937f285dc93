"""What was tried and what was found out: printed where laws are checked, and by the pytest plugin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from autodiff.testing.checks import Examination
from autodiff.testing.differences.kink_places import kink_places
from autodiff.testing.mismatch import Unstaged

LOOKED_AT = 8
"""Kinks of so many points are described."""


@dataclass
class Summary:
    """What became of one function.

    Attributes:
        name: of the function.
        points: at how many arguments it was checked.
        decided: for each law at how many points it holds.
        undecided: for each law at how many points nothing could be said.
        kinks: what makes the kinks that were accepted.
        kinked: at how many points there were any.
        refused: how many arguments the function itself refused.
        unstaged: for each law at how many points the function could not be recorded by shapes alone.
        reasons: why laws could not be decided, each with how often.
    """

    name: str
    points: int = 0
    decided: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    kinks: Counter[str] = field(default_factory=Counter)
    kinked: int = 0
    refused: int = 0
    unstaged: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, found: Examination, numerical: bool) -> None:
        """Count one point."""
        self.points += 1
        for law, reason in found.outcomes.items():
            if isinstance(reason, Unstaged):
                self.unstaged[law] += 1
                continue
            (self.decided if reason is None else self.undecided)[law] += 1
            if reason is not None:
                self.reasons[str(reason)] += 1
        if numerical and found.problem.differentiable and found.problem.double.kinked:
            self.kinked += 1
            if self.kinked <= LOOKED_AT:
                self.kinks.update(kink_places(found.problem.double))

    @property
    def nowhere_decided(self) -> list[str]:
        """The laws that applied and could be decided at no point."""
        return [law for law in self.undecided if not self.decided[law]]

    def __str__(self) -> str:
        text = f"{self.name}: {len(self.decided)} laws hold at {self.points} points"
        if self.kinked:
            text += f"; kinks {self.where}accepted at {self.kinked} of them, kinks='error' refuses them"
        if self.undecided:
            text += f"; undecided {self.undecided.total()} times: {listed(self.undecided)}"
        if self.unstaged:
            text += f"; it looks at values, so that these are left out: {', '.join(self.unstaged)}"
        return text + (f"; {self.refused} arguments refused by the function itself" if self.refused else "")

    __repr__ = __str__

    @property
    def where(self) -> str:
        """What makes the kinks."""
        known = sorted(place for place in self.kinks if place)
        return f"at {' and '.join(known)} " if known else ""


def listed(counts: Counter[str]) -> str:
    """Names with how often each occurs."""
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def totals(summaries: Iterable[Summary]) -> Summary:
    """Several summaries as one."""
    whole = Summary("all functions")
    for one in summaries:
        whole.points += one.points
        whole.kinked += one.kinked
        whole.refused += one.refused
        for name in ("decided", "undecided", "kinks", "unstaged", "reasons"):
            getattr(whole, name).update(getattr(one, name))
    return whole
