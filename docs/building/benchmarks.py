"""The page of benchmarks, made of the figures that ``python -m benchmarks.compiled --json`` writes.

Files in `docs/figures` become sections, by their names: `compiled.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docs.building.written import write_pages

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
HEAD = """# Benchmarks

Made of the JSON that the commands write; each table says on which machine and when.
[How they measure](../../benchmarks-how.md), and how to measure your own machine, is on a page of its own.
Figures of other machines differ; ratios differ less.
"""
NONE = """
No run is kept in this checkout. `python -m benchmarks.compiled --json docs/figures/compiled.json` makes one, on an idle
machine, and the next build of the site shows it here.
"""


def write(docs: Path) -> None:
    """Write the page into `docs/_generated`."""
    runs = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((docs / "figures").glob("*.json"))
    }
    sections = [section(name, run) for name, run in runs.items()] or [NONE]
    write_pages(docs / "_generated" / "benchmarks", {"index.md": "\n".join([HEAD, *sections])})


def section(name: str, run: dict[str, Any]) -> str:
    """One run: when and where it was made, and its table."""
    threads = max(row["threads"] for row in run["rows"])
    rows = [row for row in run["rows"] if row["threads"] == threads]
    found = {measured["peer"] for row in rows for measured in row["measurements"]}
    peers = ["autodiff", *sorted(found - {"autodiff"})]
    lines = [f"## {name.capitalize()}", "", made(run, threads), ""]
    lines += [table_row(["program", "size", "dtype", *peers, "autodiff / best peer"]), "|---" * (len(peers) + 4) + "|"]
    return "\n".join([*lines, *(table_row(cells(row, peers)) for row in rows)]) + "\n"


def made(run: dict[str, Any], threads: int) -> str:
    """When and where a run was made."""
    where = run["environment"]
    return (
        f"Measured on {where['date']}: {where['processor']}, {where['cores']} cores, {where['system']}, "
        f"{where['python']}, {threads} thread{'s' if threads > 1 else ''}; a call's median time."
    )


def cells(row: dict[str, Any], peers: list[str]) -> list[str]:
    """One row of a table."""
    times = {measured["peer"]: time_text(measured.get("median")) for measured in row["measurements"]}
    ratio = row["ratio"]
    shown = "" if ratio is None else f"{ratio:.2f}"
    return [row["title"], str(row["size"]), row["dtype"], *(times.get(peer, "") for peer in peers), shown]


def table_row(texts: list[str]) -> str:
    """Texts as a row of a Markdown table."""
    return f"| {' | '.join(texts)} |"


def time_text(seconds: float | None) -> str:
    """A time with three digits and its unit; nothing where there is none."""
    if seconds is None:
        return ""
    scale, unit = next(((scale, unit) for scale, unit in UNITS if seconds >= scale), UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"
