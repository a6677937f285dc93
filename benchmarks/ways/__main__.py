"""`python -m benchmarks.ways`: gradients of programs of science, each written in two ways, beside JAX.

The figures are microseconds a call, the best of many that take turns. A way that takes longer than the other by more
than the goal, or longer than JAX does, is marked. Whoever is wrong ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import autodiff
from benchmarks.ways import fields, learning, points, sequences
from benchmarks.ways.library import ours, theirs

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.ways.library import Library, Program

PROGRAMS: dict[str, Program] = dict(
    chain.from_iterable(module.PROGRAMS.items() for module in (fields, points, sequences, learning))
)
GOAL, ROUNDS, TOLERANCE = 1.3, 5, 1e-7
"""One way may take so many times as long as the other; so many turns; how far gradients may be from each other."""


def main(given: list[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ways", description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="only these programs")
    parser.add_argument("--quick", action="store_true", help="one call each: a smoke test, not a measurement")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all figures to this file")
    options = parser.parse_args(given)
    peer = peer_library()
    print(f"{'program':24} {'way':22} {'ours us':>10} {'jax us':>10} {'/ jax':>6} {'/ other way':>12}")
    rows, bad = [], 0
    for name, program in PROGRAMS.items():
        if options.only and name not in options.only:
            continue
        found, wrong = measured(program, peer, 0.0 if options.quick else 0.1)
        bad += wrong
        rows += [{"program": name, "way": way, **times} for way, times in found.items()]
        print_program(name, found, "WRONG" if wrong else "")
    if options.json is not None:
        options.json.write_text(json.dumps({"unit": "us", "rows": rows}, indent=1) + "\n")
    return int(bad > 0)


def peer_library() -> Library | None:
    """JAX, if it is installed."""
    try:
        return theirs()
    except ImportError:
        print("jax: not installed")
        return None


def measured(program: Program, peer: Library | None, seconds: float) -> tuple[dict[str, dict[str, float]], bool]:
    """The best times of all ways, of both libraries in turns, and whether a gradient is wrong."""
    libraries = {"ours": ours(), **({"jax": peer} if peer is not None else {})}
    calls = {
        (way, who): library.gradient(written(library))
        for way, written in program.ways.items()
        for who, library in libraries.items()
        if who == "ours" or way not in program.ours_alone
    }
    expected = autodiff.grad(next(iter(program.ways.values()))(libraries["ours"]))(*program.arguments)
    scale = float(np.max(np.abs(expected)))
    wrong = False
    for call in calls.values():
        off = np.max(np.abs(np.asarray(call(*program.arguments)) - expected))
        wrong = wrong or not off <= TOLERANCE * scale
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS if seconds else 1):
        for key, call in calls.items():
            best[key] = min(best[key], best_of(call, program.arguments, seconds))
    found = {way: {who: 1e6 * best[way, who] for who in libraries if (way, who) in best} for way in program.ways}
    return found, wrong


def best_of(call: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> float:
    """The seconds of the fastest call."""
    best, end = float("inf"), time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        call(*arguments)
        now = time.perf_counter()
        best = min(best, now - start)
        if now >= end:
            return best


def print_program(name: str, found: dict[str, dict[str, float]], note: str) -> None:
    """A line for each way."""
    fastest = min(times["ours"] for times in found.values())
    for way, times in found.items():
        mine, peer = times["ours"], times.get("jax")
        to_peer = "" if peer is None else f"{mine / peer:6.2f}"
        words = [note] if note else []
        words += ["slower than jax"] if peer is not None and mine > peer else []
        words += ["slower than the other way"] if mine > GOAL * fastest else []
        shown = "" if peer is None else f"{peer:10.1f}"
        print(f"{name:24} {way:22} {mine:10.1f} {shown:>10} {to_peer:>6} {mine / fastest:12.2f}  {', '.join(words)}")
        name = ""
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
