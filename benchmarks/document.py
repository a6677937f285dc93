"""The figures as JSON for programs: every round of every subject."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchmarks.goals import GOALS, mark

if TYPE_CHECKING:
    from benchmarks.case import Case
    from benchmarks.goals import Results
    from benchmarks.measurement import Measurement


def document(results: Results, surroundings: dict[str, Any]) -> dict[str, Any]:
    """Surroundings, cases and goals."""
    return {
        "unit": "microseconds per recorded operation",
        **surroundings,
        "cases": [block(case, measurements) for case, measurements in results.items()],
        "goals": [{**asdict(goal), "result": mark(goal, results)} for goal in GOALS],
    }


def block(case: Case, measurements: list[Measurement]) -> dict[str, Any]:
    """One case with all its subjects."""
    return {
        **asdict(case),
        "operations": case.operations,
        "subjects": [figures(found) for found in measurements],
    }


def figures(found: Measurement) -> dict[str, Any]:
    """Medians and rounds of one subject."""
    if not found.measured:
        return {"subject": found.subject, "failure": found.failure}
    return {
        "subject": found.subject,
        "operations": found.operations,
        "forward": found.forward,
        "total": found.total if found.has_gradients else None,
        "interrupted_rounds": found.interrupted_rounds,
        "forward_rounds": found.forward_rounds,
        "total_rounds": found.total_rounds if found.has_gradients else None,
    }
