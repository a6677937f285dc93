"""`python -m benchmarks.chainer`: the programs of `tests/chainer/programs`, beside Chainer itself.

Chainer needs an old Python: `--chainer-python` names an interpreter that has it. A figure is the median of the seconds
of a whole program, model and ten updates; the losses of both are compared by the tests.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which
from statistics import median
from typing import Any

from benchmarks.environment import environment, load_average
from benchmarks.interpreter import ROOT
from benchmarks.threads import variables

MODULE = "tests.chainer.programs.times"
GOAL = 1.0
"""Our time over Chainer's, at most."""


def parse(given: list[str] | None) -> argparse.Namespace:
    """The command line; argparse ends the process on what it does not know."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chainer", description="Programs, beside Chainer.")
    add = parser.add_argument
    add(
        "--chainer-python",
        metavar="PATH",
        help="interpreter that has Chainer 7.8.1; without it there are our times only",
    )
    add("--rounds", type=int, default=5, metavar="N", help="runs of each program that count (default: 5)")
    add("--threads", type=int, default=2, metavar="N", help="number of threads (default: 2)")
    add("--json", type=Path, metavar="PATH", help="write all figures to this file")
    options = parser.parse_args(given)
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: at least one")
    if options.chainer_python is not None and which(options.chainer_python) is None:
        parser.error(f"--chainer-python {options.chainer_python}: no such program")
    return options


def main(given: list[str] | None = None) -> int:
    """Measure, print, write. 1 when a program takes longer than Chainer's, else 0."""
    options = parse(given)
    before = load_average()
    times = {"autodiff": times_by(sys.executable, options)}
    if options.chainer_python is not None:
        times["chainer"] = times_by(options.chainer_python, options)
    rows = [row(name, times) for name in times["autodiff"]]
    print(f"{'program':60}{'autodiff':>12}{'chainer':>12}{'ratio':>8}")
    for one in rows:
        print(f"{one['program']:60}" + "".join(f"{one.get(by, '-'):>12}" for by in ("autodiff", "chainer")), end="")
        print(f"{one['ratio']:8.2f}" if "ratio" in one else f"{'-':>8}")
    slower = [one["program"] for one in rows if one.get("ratio", 0.0) > GOAL]
    print("\nmilliseconds of a whole program" + (f"; slower than Chainer: {', '.join(slower)}" if slower else ""))
    if options.json is not None:
        made = {"unit": "seconds", "environment": environment(), "threads": options.threads}
        load = {"before": before, "after": load_average()}
        options.json.write_text(json.dumps({**made, "load_average": load, "times": times}, indent=1) + "\n")
    return int(bool(slower))


def times_by(python: str, options: argparse.Namespace) -> dict[str, list[float]]:
    """The seconds of every program by one interpreter."""
    settings = {**os.environ, **variables(options.threads)}
    if python != sys.executable:
        settings.pop("PYTHONPATH", None)
    command = [python, "-m", MODULE, str(options.rounds)]
    done = subprocess.run(command, cwd=ROOT, env=settings, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(name: str, times: dict[str, dict[str, list[float]]]) -> dict[str, Any]:
    """Milliseconds by each library, and ours over theirs."""
    found = {by: median(of[name]) for by, of in times.items() if name in of}
    shown: dict[str, Any] = {by: f"{1000 * seconds:.1f}" for by, seconds in found.items()}
    ratio = {"ratio": found["autodiff"] / found["chainer"]} if "chainer" in found else {}
    return {"program": name, **shown, **ratio}


if __name__ == "__main__":
    sys.exit(main())
