"""`python -m benchmarks.latency`: from the start of a process to its first compiled gradient, beside the peers.

The gradient is that of the first row of `benchmarks.compiled`. Cold: with an empty cache on disk; warm: the process
after it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.table import PROGRAMS
from benchmarks.contest.closeness import WrongResultError, compare, inputs_of
from benchmarks.contest.contestants import SETTINGS, write_reference
from benchmarks.contest.peers import OURS
from benchmarks.contest.report import preface, time
from benchmarks.environment import environment, load_average
from benchmarks.interpreter import ROOT
from benchmarks.threads import variables

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = PROGRAMS["elementwise"]
COMPILED_MODULES = {"PYTHONDONTWRITEBYTECODE": ""}
"""Python keeps compiled modules, as it does for users: in containers it is often told not to."""

CACHES = ("AUTODIFF_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
KEEP_ALL = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
WAYS = ("import", "cold", "warm")
SLOW_ROUNDS = 2  # of torch.compile, which takes long to compile
RIVAL = "jax"
ENTRANTS = (OURS, RIVAL, "torch", "torch.compile", "autograd")  # the others take no arrays of NumPy
# fmt: off
GOALS = {
    "cold": (1.3, "jax 0.61 s", "0.8 s through Numba"),
    "warm": (0.5, "jax 0.46 s", "0.12-0.14 s tried"),
}
# fmt: on


@dataclass
class Latency:
    """One library's seconds in every process, or why there are none."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {way: [] for way in WAYS})
    failure: str | None = None
    wrong: str | None = None
    notes: list[str] = field(default_factory=list)


def main(given: list[str] | None = None) -> int:
    """Measure, print, write. 1 when somebody's result was wrong or autodiff failed, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.latency", description="From process start to the first compiled gradient."
    )
    parser.add_argument("--quick", action="store_true", help="one cold and one warm process each")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="number of threads (default: 2)")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all figures to this file")
    options = parser.parse_args(given)
    load_before = load_average()
    found = measure(options.threads, 1 if options.quick else 9)
    surroundings = {
        "quick": options.quick,
        "environment": environment(),
        "load_average": {"before": load_before, "after": load_average()},
    }
    for line in (*preface(surroundings), *table(found)):
        print(line)
    if options.json is not None:
        peers = {name: vars(latency) for name, latency in found.items()}
        options.json.write_text(json.dumps({"unit": "seconds", **surroundings, "peers": peers}, indent=1) + "\n")
    return int(any(latency.wrong or (name == OURS and latency.failure) for name, latency in found.items()))


def measure(threads: int, rounds: int) -> dict[str, Latency]:
    """In every round each library starts a process with an empty cache, and one after it."""
    found = {name: Latency() for name in ENTRANTS}
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        reference = Path(folder) / "reference"
        reference.mkdir()
        write_reference(PROGRAM.name, 0, reference)
        np.save(Path(folder) / "x.npy", inputs_of(PROGRAM, PROGRAM.rows[0])[0])
        for turn in range(-1, rounds):  # the first round brings files into memory
            for name, latency in found.items():
                if latency.failure or latency.wrong or (name == "torch.compile" and turn >= SLOW_ROUNDS):
                    continue
                print(f"round {turn + 1}: {name} ...", file=sys.stderr, flush=True)
                with tempfile.TemporaryDirectory(prefix="benchmarks-cache-") as cache:
                    for way in ("cold", "warm"):
                        start_process(name, threads, Path(folder), cache, latency, way, keep=turn >= 0)
    return found


def start_process(name: str, threads: int, folder: Path, cache: str, latency: Latency, way: str, keep: bool) -> None:
    """One process; its figures are kept, or its failure."""
    settings = {**variables(threads), **SETTINGS, **KEEP_ALL, **COMPILED_MODULES, **dict.fromkeys(CACHES, cache)}
    command = [sys.executable, "-m", "benchmarks.contest.first_gradient", name, str(folder)]
    start = monotonic()
    process = subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True)
    if process.returncode:
        latency.failure = (process.stderr.strip().splitlines() or [f"ended with {process.returncode}"])[-1]
        return
    said: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    try:
        compare(PROGRAM, PROGRAM.rows[0], [np.load(folder / f"result{n}.npy") for n in range(2)], folder / "reference")
    except WrongResultError as error:
        latency.wrong = str(error)
        return
    if name == OURS and not said["kernels"]:
        latency.notes = ["the program had no kernels: it ran as NumPy calls"]
    if keep:
        latency.seconds["import"].append(said["imported"] - said["began"])
        latency.seconds[way].append(said["done"] - start)


def table(found: dict[str, Latency]) -> Iterator[str]:
    """Everybody's figures, then the goals."""
    yield ""
    yield "seconds: least and median over processes; import: of the library with NumPy;"
    yield "cold and warm: from before the process starts to its first gradient"
    yield f"  {'':16}" + "".join(f"{way:>22}" for way in WAYS)
    for name, latency in found.items():
        problem = latency.wrong or latency.failure
        cells = "".join(f"{cell(latency.seconds[way]):>22}" for way in WAYS)
        yield f"  {name:16}" + (f"      {problem}" if problem else cells)
        yield from (f"  {'':16}      {note}" for note in latency.notes)
    yield ""
    yield f"goals: medians, in proportion to {RIVAL}"
    met = 0
    for way, (goal, known, floor) in GOALS.items():
        ratio, because = judged(found, way)
        reached = ratio is not None and not because and ratio <= goal
        met += reached
        text = "not measured" if ratio is None else f"{ratio:.2f}, goal {goal:.2f}: {'met' if reached else 'missed'}"
        yield f"  {way:8}{text:30}known: {known}; {floor}  {because}".rstrip()
    yield ""
    yield f"{met} of {len(GOALS)} goals met"


def judged(found: dict[str, Latency], way: str) -> tuple[float | None, str]:
    """Our median over the rival's, and what speaks against it."""
    ours, theirs = found[OURS], found[RIVAL]
    if any(each.wrong or each.failure or not each.seconds[way] for each in (ours, theirs)):
        return None, ""
    return median(ours.seconds[way]) / median(theirs.seconds[way]), "; ".join(ours.notes)


def cell(seconds: list[float]) -> str:
    """Least and median."""
    return f"{time(min(seconds))} / {time(median(seconds))}" if seconds else "-"


if __name__ == "__main__":
    sys.exit(main())
