"""`python -m benchmarks.compiled`: programs of this field, compiled, beside the peers.

Every library runs in an interpreter of its own, with its threads set before it is imported; all take turns in one run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.contest.document import document
from benchmarks.contest.peers import OURS, PEERS
from benchmarks.contest.report import failed, preface, tables
from benchmarks.contest.session import chosen_rows, session


def parse(given: list[str] | None) -> argparse.Namespace:
    """The command line; argparse ends the process on what it does not know."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compiled",
        description="Seconds per call of compiled programs: autodiff and its peers, in one run and in turns.",
    )
    add = parser.add_argument
    add("--only", action="append", metavar="NAME", default=[], help="only rows whose names contain it; may be repeated")
    add("--peer", action="append", choices=list(PEERS), help=f"only this one beside {OURS}; may be repeated")
    add("--threads", type=counts, default=(1, 2), metavar="N,N", help="numbers of threads (default: 1,2)")
    add("--quick", action="store_true", help="one call, two rounds: a smoke test, not a measurement")
    add("--json", type=Path, metavar="PATH", help="write all figures of all rounds to this file")
    options = parser.parse_args(given)
    if options.json is not None and not options.json.resolve().parent.is_dir():
        parser.error(f"--json {options.json}: its folder does not exist")
    if not chosen_rows(options.only):
        parser.error(f"--only {' '.join(options.only)}: no row has such a name")
    return options


def counts(text: str) -> tuple[int, ...]:
    """Whole numbers from 1 with commas between them."""
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) >= 1 for part in parts):
        raise argparse.ArgumentTypeError(f"needed whole numbers from 1 with commas between them, got {text!r}")
    return tuple(int(part) for part in parts)


def main(given: list[str] | None = None) -> int:
    """Measure, print, write. 1 when somebody's result was wrong or autodiff failed, else 0."""
    options = parse(given)
    peers = list(dict.fromkeys((OURS, *(options.peer or PEERS))))
    results, surroundings = session(options.only, peers, options.threads, options.quick)
    for line in (*preface(surroundings), *tables(results, peers)):
        print(line)
    if options.json is not None:
        options.json.write_text(json.dumps(document(results, surroundings), indent=1) + "\n")
    return int(failed(results) or OURS in surroundings["absent"])


if __name__ == "__main__":
    sys.exit(main())
