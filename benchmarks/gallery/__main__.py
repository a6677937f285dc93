"""`python -m benchmarks.gallery`: each program of the gallery, whole, beside the same program written for JAX.

A figure is the seconds of `main()` in a process of its own. Cold: with an empty cache on disk, compiling included;
warm: the median of the processes after it, which find what was compiled. Importing is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.environment import environment, load_average
from benchmarks.gallery.table import ROWS, Row
from benchmarks.interpreter import ROOT
from benchmarks.latency import CACHES, KEEP_ALL
from benchmarks.threads import variables

LIBRARIES = ("autodiff", "jax")
PATIENCE = 600.0  # seconds for one process


@dataclass
class Figures:
    """One library's seconds for one program, or why there are none."""

    cold: float | None = None
    warm: list[float] = field(default_factory=list)
    failure: str | None = None

    @property
    def median(self) -> float | None:
        """Of the warm processes."""
        return median(self.warm) if self.warm else None


def parse(given: list[str] | None, package: str) -> argparse.Namespace:
    """The command line; argparse ends the process on what it does not know."""
    parser = argparse.ArgumentParser(prog=f"python -m {package}", description="Programs, beside JAX.")
    add = parser.add_argument
    add("--only", action="append", metavar="NAME", default=[], help="only programs whose names contain it")
    add("--rounds", type=int, default=3, metavar="N", help="warm processes of each (default: 3)")
    add("--threads", type=int, default=2, metavar="N", help="number of threads (default: 2)")
    add("--json", type=Path, metavar="PATH", help="write all figures to this file")
    options = parser.parse_args(given)
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: at least one")
    return options


def main(given: list[str] | None = None, package: str = "benchmarks.gallery", table: Mapping[str, Row] = ROWS) -> int:
    """Measure, print, write. 1 when results differ or autodiff failed, else 0.

    Args:
        given: the command line.
        package: whose module `process` runs one program.
        table: its programs.
    """
    options = parse(given, package)
    present = [name for name in LIBRARIES if find_spec(name) is not None]
    before, rows = load_average(), []
    print(line("program", *(f"{name}, {way}" for way in ("cold", "warm") for name in LIBRARIES), "ratio"))
    for name, row in table.items():
        if any(part in name for part in options.only or [""]):
            rows.append(measured(name, row, present, options, package))
            print(line(*shown(rows[-1])), flush=True)
    for text in remarks(rows, present):
        print(text)
    if options.json is not None:
        load = {"before": before, "after": load_average()}
        made = {"unit": "seconds", "environment": environment(), "threads": options.threads, "load_average": load}
        options.json.write_text(json.dumps({**made, "rows": rows}, indent=1) + "\n")
    return int(any(row["mismatch"] or row["libraries"]["autodiff"]["failure"] for row in rows))


def measured(name: str, row: Row, present: list[str], options: argparse.Namespace, package: str) -> dict[str, Any]:
    """One program by all libraries, which take turns."""
    figures = {library: Figures() for library in present}
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        for turn in range(options.rounds + 1):
            for library, of_library in figures.items():
                if of_library.failure is None:
                    run(package, name, library, of_library, options.threads, Path(folder), cold=turn == 0)
        found = [dict(np.load(Path(folder) / f"{library}.npz")) for library in present if not figures[library].failure]
    apart = row.mismatch(*found) if len(found) == len(LIBRARIES) else None
    libraries = {library: {**vars(of), "median": of.median} for library, of in figures.items()}
    return {"program": name, "note": row.note, "mismatch": apart, "libraries": libraries}


def run(package: str, name: str, library: str, figures: Figures, threads: int, folder: Path, cold: bool) -> None:
    """One process; its figure is kept, or its failure."""
    caches = dict.fromkeys(CACHES, str(folder / f"cache of {library}"))
    command = [sys.executable, "-m", f"{package}.process", library, name, str(folder / f"{library}.npz")]
    settings = {**os.environ, **variables(threads), **KEEP_ALL, **caches}
    try:
        done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        figures.failure = f"not done after {PATIENCE:g} s"
        return
    if done.returncode:
        figures.failure = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        return
    seconds = json.loads(done.stdout.splitlines()[-1])["seconds"]
    if cold:
        figures.cold = seconds
    else:
        figures.warm.append(seconds)


def shown(row: dict[str, Any]) -> list[str]:
    """The cells of a row: both libraries cold, both warm, and our warm time over theirs."""
    of = [row["libraries"].get(library, {}) for library in LIBRARIES]
    times = [one.get(way) for way in ("cold", "median") for one in of]
    ours, theirs = times[2:]
    ratio = f"{ours / theirs:.2f}" if ours and theirs else "-"
    return [row["program"], *("-" if seconds is None else f"{seconds:.2f}" for seconds in times), ratio]


def line(first: str, *cells: str) -> str:
    """A row of the table."""
    return f"{first:26}" + "".join(f"{cell:>16}" for cell in cells)


def remarks(rows: list[dict[str, Any]], present: list[str]) -> Iterator[str]:
    """Who is absent, who failed, what differs, and what was not compared to rounding."""
    yield "\nseconds; ratio: autodiff's warm time over JAX's"
    yield from (f"{library} is not installed" for library in LIBRARIES if library not in present)
    for row in rows:
        failures = (f"{library} failed: {of['failure']}" for library, of in row["libraries"].items() if of["failure"])
        yield from (f"{row['program']}: {text}" for text in (*failures, row["mismatch"], row["note"]) if text)


if __name__ == "__main__":
    sys.exit(main())
