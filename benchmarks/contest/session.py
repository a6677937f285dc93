"""One run: everybody started, every row measured with every number of threads, and what surrounded it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from benchmarks.compiled_programs.table import PROGRAMS
from benchmarks.contest.contestants import Contestants, write_reference
from benchmarks.contest.peers import OURS
from benchmarks.contest.result import Measurement, Result
from benchmarks.contest.turns import measure
from benchmarks.environment import environment, load_average
from benchmarks.interpreter import InterpreterError
from benchmarks.threads import variables

if TYPE_CHECKING:
    from collections.abc import Sequence


def chosen_rows(only: Sequence[str]) -> list[tuple[str, int]]:
    """Program and number of the rows whose names contain one of the texts; all where there are none."""
    rows = [(name, number, row.size) for name, program in PROGRAMS.items() for number, row in enumerate(program.rows)]
    return [
        (name, number) for name, number, size in rows if not only or any(text in f"{name}, {size}" for text in only)
    ]


def session(
    only: Sequence[str], peers: Sequence[str], threads: Sequence[int], quick: bool
) -> tuple[list[Result], dict[str, Any]]:
    """The figures of every row, and a description of where they come from."""
    load_before = load_average()
    everybody = [Contestants(peers, count) for count in threads]
    results = []
    try:
        described = {str(each.threads): each.describe() for each in everybody}
        with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
            for name, number in chosen_rows(only):
                results += row_results(everybody, name, number, Path(folder) / "reference", quick)
    finally:
        for each in everybody:
            each.close()
    return results, {
        "quick": quick,
        "environment": environment(),
        "load_average": {"before": load_before, "after": load_average()},
        "variables": {str(each.threads): variables(each.threads) for each in everybody},
        "peers": described,
        "absent": {name: why for each in everybody for name, why in each.absent.items()},
    }


def row_results(everybody: Sequence[Contestants], name: str, number: int, folder: Path, quick: bool) -> list[Result]:
    """One row with every number of threads."""
    program = PROGRAMS[name]
    row = program.rows[number]
    print(f"measuring {name}, {row.size} ...", file=sys.stderr, flush=True)
    folder.mkdir()
    try:
        write_reference(name, number, folder)
    except InterpreterError as error:  # autodiff without its compiler fails: nobody can be checked
        failure = Measurement(OURS, failure=f"no reference: {error}")
        nobody = [{**{name: Measurement(name) for name in each.present}, OURS: failure} for each in everybody]
        found = [Result(program, row, each.threads, those) for each, those in zip(everybody, nobody)]
    else:
        found = [Result(program, row, each.threads, measure(each, name, number, folder, quick)) for each in everybody]
    rmtree(folder)
    return found
