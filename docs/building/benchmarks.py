"""The page of benchmarks, made of the figures that ``python -m benchmarks.compiled --json`` writes.

Files in `docs/figures` become sections, by their names: `compiled.json`; `gallery.json` is of another command.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docs.building import gallery_times
from docs.building.tables import head, made, row_of, time_text
from docs.building.written import write_pages

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
    gallery = [gallery_times.section(runs.pop("gallery"))] if "gallery" in runs else []
    sections = [*(section(name, run) for name, run in runs.items()), *gallery] or [NONE]
    write_pages(docs / "_generated" / "benchmarks", {"index.md": "\n".join([HEAD, *sections])})


def section(name: str, run: dict[str, Any]) -> str:
    """One run: when and where it was made, and its table."""
    threads = max(row["threads"] for row in run["rows"])
    rows = [row for row in run["rows"] if row["threads"] == threads]
    found = {measured["peer"] for row in rows for measured in row["measurements"]}
    peers = ["autodiff", *sorted(found - {"autodiff"})]
    lines = [f"## {name.capitalize()}", "", f"{made(run, threads)}; a call's median time.", ""]
    lines += head(["program", "size", "dtype", *peers, "autodiff / best peer"])
    return "\n".join([*lines, *(row_of(cells(row, peers)) for row in rows)]) + "\n"


def cells(row: dict[str, Any], peers: list[str]) -> list[str]:
    """One row of a table."""
    times = {measured["peer"]: time_text(measured.get("median")) for measured in row["measurements"]}
    ratio = row["ratio"]
    shown = "" if ratio is None else f"{ratio:.2f}"
    return [row["title"], str(row["size"]), row["dtype"], *(times.get(peer, "") for peer in peers), shown]
