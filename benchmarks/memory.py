"""`python -m benchmarks.memory`: the peak of memory that a deep gradient needs, beside the peers.

Every figure is that of a fresh process. Linux only: the peak of the resident set is read from /proc.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.compiled_programs.table import CHAIN
from benchmarks.contest.contestants import PATIENCE, started, write_reference
from benchmarks.contest.peers import OURS, PEERS
from benchmarks.contest.report import preface
from benchmarks.environment import environment, load_average
from benchmarks.interpreter import InterpreterError, WrongAnswerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    Figures = dict[tuple[int, str], dict[str, Any]]

MEGABYTE = 1e6
RIVAL = "jax"  # plain, for both goals


def main(given: list[str] | None = None) -> int:
    """Measure, print, write. 1 when somebody's result was wrong or autodiff failed, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory", description=f"{CHAIN.title[0].upper()}{CHAIN.title[1:]}."
    )
    parser.add_argument("--quick", action="store_true", help="one process for each figure")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="number of threads (default: 2)")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all figures to this file")
    options = parser.parse_args(given)
    load_before = load_average()
    figures = measure(options.threads, 1 if options.quick else 3)
    surroundings = {
        "quick": options.quick,
        "environment": environment(),
        "load_average": {"before": load_before, "after": load_average()},
    }
    for line in (*preface(surroundings), *table(figures)):
        print(line)
    if options.json is not None:
        rows = [{"row": CHAIN.rows[row].size, "peer": name, **found} for (row, name), found in figures.items()]
        options.json.write_text(json.dumps({"unit": "bytes", **surroundings, "rows": rows}, indent=1) + "\n")
    return int(any("wrong" in found or (name == OURS and "failure" in found) for (_, name), found in figures.items()))


def measure(threads: int, processes: int) -> Figures:
    """Everybody's peaks on both rows."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        write_reference(CHAIN.name, 0, Path(folder))
        for turn in range(processes):
            for row in range(len(CHAIN.rows)):
                for name in PEERS:
                    print(f"process {turn + 1}: {CHAIN.rows[row].size}, {name} ...", file=sys.stderr, flush=True)
                    found = figures.setdefault((row, name), {"rounds": []})
                    found.update(peak(name, threads, row, folder, found["rounds"]))
    return figures


def peak(name: str, threads: int, row: int, folder: str, rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """One process's answer goes into the rounds; what else is to be said is returned."""
    try:
        interpreter = started(name, threads)
    except InterpreterError as error:
        return {"absent": str(error)}
    try:
        answer = interpreter.ask("peak", PATIENCE, program=CHAIN.name, row=row, folder=folder)
    except WrongAnswerError as error:
        return {"wrong": str(error)}
    except InterpreterError as error:
        return {"failure": str(error)}
    finally:
        interpreter.stop()
    if "left_out" in answer:
        return {"left_out": answer["left_out"]}
    rounds.append(answer)
    return {}


def table(figures: Figures) -> Iterator[str]:
    """A line for everybody, then the goals."""
    yield ""
    yield CHAIN.title
    yield "above the resident set after imports and a call on a tenth of the elements;"
    yield "in brackets: above the resident set just before the call that was measured"
    for (row, name), found in figures.items():
        yield f"  {CHAIN.rows[row].size:16}{name:16}{said(found)}"
    yield ""
    yield f"goals: in proportion to {RIVAL} without checkpoints"
    yield from goals(figures)


def said(found: dict[str, Any]) -> str:
    """The figure, or why there is none."""
    if megabytes(found) is None:
        return next((found[key] for key in ("wrong", "failure", "absent", "left_out") if key in found), "not measured")
    return f"{megabytes(found):8.1f} MB   ({megabytes(found, 'above_second'):.1f})"


def megabytes(found: dict[str, Any], key: str = "bytes") -> float | None:
    """The median over the processes."""
    if not found["rounds"] or "wrong" in found or "failure" in found:
        return None
    return float(median(each[key] for each in found["rounds"])) / MEGABYTE


def goals(figures: Figures) -> Iterator[str]:
    """Met or missed, and how many."""
    met = 0
    for number, row in enumerate(CHAIN.rows):
        ours, theirs = megabytes(figures[number, OURS]), megabytes(figures[0, RIVAL])
        ratio = None if ours is None or not theirs else ours / theirs
        reached = ratio is not None and row.goal is not None and ratio <= row.goal
        met += reached
        text = (
            "not measured" if ratio is None else f"{ratio:.2f}, goal {row.goal:.2f}: {'met' if reached else 'missed'}"
        )
        yield f"  {row.size:16}{text:30}known: {row.known}; {row.floor}"
    yield ""
    yield f"{met} of {len(CHAIN.rows)} goals met"


if __name__ == "__main__":
    sys.exit(main())
