"""The page of benchmarks, made of the figures that ``python -m benchmarks.compiled --json`` writes.

Files in `docs/figures` become sections, by their names: `compiled.json`; `gallery.json` is of another command.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docs.building import gallery_times
from docs.building.tables import head, in_figures, made, row_of, time_text
from docs.building.written import write_pages

HEAD = """# Benchmarks

Made of the JSON that the commands write; each table says on which machine and when.
[How they measure](../../benchmarks-how.md), and how to measure your own machine, is on a page of its own.
Figures of other machines differ; ratios differ less.
"""
SECTIONS = ("compiled", "gallery")
"""What the page always has, with a run or without."""
NONE = """## {title}

No run is kept in this checkout. `python -m benchmarks.{name} --json docs/figures/{name}.json` makes one, on an idle
machine, and the next build of the site shows it here.
"""


def write(docs: Path) -> None:
    """Write the page into `docs/_generated`."""
    runs = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((docs / "figures").glob("*.json"))
    }
    names = sorted({*SECTIONS, *runs}, key=lambda name: (name == "gallery", name))
    sections = [section(name, runs.get(name)) for name in names]
    write_pages(docs / "_generated" / "benchmarks", {"index.md": "\n".join([HEAD, *sections])})


def section(name: str, run: dict[str, Any] | None) -> str:
    """One run, or how to make it."""
    if run is None:
        return NONE.format(title=name.capitalize(), name=name)
    return gallery_times.section(run) if name == "gallery" else compiled(name, run)


def compiled(name: str, run: dict[str, Any]) -> str:
    """When and where a run was made, and its table."""
    threads = max(row["threads"] for row in run["rows"])
    rows = [row for row in run["rows"] if row["threads"] == threads]
    found = {measured["peer"] for row in rows for measured in row["measurements"]}
    peers = ["autodiff", *sorted(found - {"autodiff"})]
    lines = [f"## {name.capitalize()}", "", f"{made(run, threads)}; a call's median time.", ""]
    table = head(["program", "size", "dtype", *peers, "autodiff / best peer"])
    table += [row_of(cells(row, peers)) for row in rows]
    return "\n".join([*lines, *in_figures(table)]) + "\n"


def cells(row: dict[str, Any], peers: list[str]) -> list[str]:
    """One row of a table."""
    times = {measured["peer"]: time_text(measured.get("median")) for measured in row["measurements"]}
    ratio = row["ratio"]
    shown = "" if ratio is None else f"{ratio:.2f}"
    title = row["title"].removesuffix(f", {row['dtype']}")  # which has a column
    return [title, str(row["size"]), row["dtype"], *(times.get(peer, "") for peer in peers), shown]
