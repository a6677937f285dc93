"""The times of the gallery beside JAX's, made of the figures that ``python -m benchmarks.gallery --json`` writes."""

from __future__ import annotations

from typing import Any

from docs.building.tables import head, in_figures, made, row_of, time_text

LIBRARIES = ("autodiff", "jax")
TITLES = ["program", "autodiff, cold", "jax, cold", "autodiff, warm", "jax, warm", "autodiff / jax, warm"]
TEXT = (
    "Each [program of the gallery](../gallery/index.md), whole, beside the same program written for JAX. Cold: "
    "compiling included; warm: in a process that finds on disk what was compiled before. Importing is not counted. "
    "Results agree to rounding, but for the notes below."
)


def section(run: dict[str, Any]) -> str:
    """The run's table, and what is to be said of some programs."""
    table = [*head(TITLES), *(row_of(cells(row)) for row in run["rows"])]
    lines = ["## Gallery", "", f"{made(run, run['threads'])}. {TEXT}", "", *in_figures(table)]
    notes = [f"- {link(row)}: {note}" for row in run["rows"] for note in notes_of(row)]
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def cells(row: dict[str, Any]) -> list[str]:
    """One program: who has no time has none."""
    of = [row["libraries"].get(library, {}) for library in LIBRARIES]
    times = [one.get(way) for way in ("cold", "median") for one in of]
    ours, theirs = times[2:]
    ratio = f"{ours / theirs:.2f}" if ours and theirs else ""
    return [link(row), *map(time_text, times), ratio]


def link(row: dict[str, Any]) -> str:
    """The program's name, which leads to its page."""
    return f"[{row['program'].replace('_', ' ')}](../gallery/{row['program']}.md)"


def notes_of(row: dict[str, Any]) -> list[str]:
    """Who failed and why, where results differ, and what was compared if not everything."""
    failures = [f"{library} failed: {of['failure']}" for library, of in row["libraries"].items() if of["failure"]]
    return [text for text in (*failures, row["mismatch"], row["note"]) if text]
