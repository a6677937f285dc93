"""What we promised ourselves: an eager step costs less than torch's C++ engine, and a fifteenth of Chainer's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.case import Case
    from benchmarks.measurement import Measurement

    Results = Mapping[Case, list[Measurement]]

LENGTH = 10


@dataclass(frozen=True)
class Goal:
    """On `program` at length 10, `subject` needs at most `bound` times the total of `peer`."""

    subject: str
    program: str
    peer: str
    bound: float


# fmt: off
GOALS = (
    Goal("autodiff tracers",   "constants", "torch",    0.50),
    Goal("autodiff tracers",   "constants", "autograd", 0.25),
    Goal("autodiff tracers",   "calls",     "torch",    0.70),
    Goal("autodiff Variables", "constants", "torch",    0.60),
    Goal("autodiff Variables", "leaves",    "torch",    0.80),
    Goal("autodiff Variables", "diamond",   "torch",    0.80),
    Goal("autodiff Variables", "wide",      "torch",    0.80),
    Goal("autodiff Variables", "long",      "torch",    1.10),
    Goal("autodiff Variables", "constants", "chainer",  1 / 15),
    Goal("autodiff Variables", "leaves",    "chainer",  1 / 15),
    Goal("autodiff Variables", "wide",      "chainer",  1 / 15),
    Goal("autodiff Variables", "long",      "chainer",  1 / 15),
)
# fmt: on


def mark(goal: Goal, results: Results) -> str:
    """`met: ...` or `missed: ...`; what was not measured in this very run is missed."""
    measured = {
        found.subject: found
        for case, measurements in results.items()
        if case.program == goal.program and case.length == LENGTH
        for found in measurements
        if found.measured
    }
    for name in (goal.subject, goal.peer):
        if name not in measured:
            return f"missed: {name} not measured"
    ratio = measured[goal.subject].total / measured[goal.peer].total
    if ratio <= goal.bound:
        return f"met: {ratio:.3f} <= {goal.bound:.3f}"
    return f"missed: {ratio:.3f} > {goal.bound:.3f}"
