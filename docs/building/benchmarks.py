"""The page of benchmarks, made of the figures that `python -m benchmarks.compiled --json` and its like write."""

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


def write(docs: Path) -> None:
    """Write the page into `docs/_generated`."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((docs / "figures").glob("*.json"))]
    text = "\n".join([HEAD, *map(section, runs)])
    write_pages(docs / "_generated" / "benchmarks", {"index.md": text})


def section(run: dict[str, Any]) -> str:
    """One run: where it was made, and its table."""
    where = f"{run['processor']}, {run['cores']} cores, {run['system']}, {run['python']}"
    rows = [row for row in run.get("rows", ()) if row.get("threads") == most_threads(run)]
    peers = sorted(
        {found["peer"] for row in rows for found in row["measurements"]}, key=lambda peer: (peer != "autodiff", peer)
    )
    lines = [f"## {run['title']}", "", f"Measured on {run['date']}: {where}, {most_threads(run)} threads.", ""]
    lines += ["| program | dtype | " + " | ".join(peers) + " | autodiff / best peer |", "|---" * (len(peers) + 3) + "|"]
    for row in rows:
        found = {one["peer"]: time_text(one) for one in row["measurements"]}
        ratio = f"{row['ratio']:.2f}" if row.get("ratio") is not None else ""
        lines.append(
            f"| {row['title']} | {row['dtype']} | "
            + " | ".join(found.get(peer, "") for peer in peers)
            + f" | {ratio} |"
        )
    return "\n".join(lines) + "\n"


def most_threads(run: dict[str, Any]) -> int:
    """The largest number of threads that was measured."""
    return max((row["threads"] for row in run.get("rows", ())), default=1)


def time_text(found: dict[str, Any]) -> str:
    """A median with three digits and its unit; nothing where there is none."""
    seconds = found.get("median")
    if seconds is None:
        return ""
    scale, unit = next(((scale, unit) for scale, unit in UNITS if seconds >= scale), UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"
