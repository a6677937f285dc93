"""The figures as JSON for programs: every round of everybody."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.contest.result import Measurement, Result


def document(results: Sequence[Result], surroundings: dict[str, Any]) -> dict[str, Any]:
    """Surroundings and rows."""
    return {"unit": "seconds per call", **surroundings, "rows": [block(result) for result in results]}


def block(result: Result) -> dict[str, Any]:
    """One row with one number of threads."""
    best = result.best_peer
    return {
        "program": result.program.name,
        "title": result.program.title,
        "dtype": result.program.dtype,
        "threads": result.threads,
        **asdict(result.row),
        "ratio": result.ratio,
        "native_ratio": result.native_ratio,
        "best_peer": best.peer if best else None,
        "result": "met" if result.met else f"missed: {result.missed_because}",
        "measurements": [figures(found) for found in result.measurements.values()],
    }


def figures(found: Measurement) -> dict[str, Any]:
    """One library's rounds, or why there are none."""
    seconds = {"median": found.seconds, "least": min(found.rounds)} if found.measured else {}
    return {**seconds, **{key: value for key, value in asdict(found).items() if value not in (None, [])}}
