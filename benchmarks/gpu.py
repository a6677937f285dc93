"""`python -m benchmarks.gpu`: programs of this field on a GPU: are they right, and how fast beside the peers.

Every library runs in a process of its own; all take turns in one run. The table comes last, after at most as many
seconds as `--seconds` says.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.contest.peers import OURS
from benchmarks.gpu_contest.budget import Budget
from benchmarks.gpu_contest.peers import PEERS
from benchmarks.gpu_contest.report import checks, document, failed, preface, table
from benchmarks.gpu_contest.sanitizer import TOOLS, sanitize
from benchmarks.gpu_contest.session import NoDeviceError, Session, say
from benchmarks.gpu_programs.table import chosen_rows

SECONDS = 450.0
NO_GPU = 3
WITH_STANDIN = (OURS, "cupy")


def parse(given: list[str] | None) -> argparse.Namespace:
    """The command line; argparse ends the process on what it does not know."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu",
        description="Small programs checked on a GPU, then seconds per call of larger ones, in turns with the peers.",
    )
    add = parser.add_argument
    add("--only", action="append", metavar="NAME", default=[], help="only rows whose names contain it; may be repeated")
    add("--check", action="append", metavar="NAME", default=[], help="only small programs whose names contain it")
    add("--peer", action="append", choices=list(PEERS), help=f"only this one beside {OURS}; may be repeated")
    add("--seconds", type=float, default=SECONDS, help=f"for the whole run (default: {SECONDS:.0f})")
    add("--quick", action="store_true", help="one call, two rounds: a smoke test, not a measurement")
    add("--stand-in", action="store_true", help="a trial at tiny sizes on the tests' stand-in for CuPy")
    add("--sanitize", action="store_true", help="run the small programs under compute-sanitizer instead")
    add("--tool", action="append", choices=TOOLS, help="with --sanitize: only this one; may be repeated")
    add("--json", type=Path, metavar="FOLDER", help="write all figures of all rounds to gpu.json in this folder")
    options = parser.parse_args(given)
    if not chosen_rows(options.only):
        parser.error(f"--only {' '.join(options.only)}: no row has such a name")
    return options


def main(given: list[str] | None = None) -> int:
    """Check, measure, print, write: 1 when a result was wrong or autodiff failed, 3 without a GPU, else 0."""
    options = parse(given)
    if options.sanitize:
        return sanitize(options.check, NO_GPU, options.tool or TOOLS)
    rows = chosen_rows(options.only)
    names = options.peer or (WITH_STANDIN if options.stand_in else PEERS)
    peers = list(dict.fromkeys((OURS, *names)))
    try:
        quick = options.quick or options.stand_in
        session = Session(peers, Budget(options.seconds, len(rows)), options.stand_in, quick)
    except NoDeviceError as reason:
        say(f"nothing to measure: {reason}. With --stand-in everything runs on the CPU at tiny sizes, as a trial.")
        return NO_GPU
    try:
        session.check(options.check)
        session.measure(rows)
    except KeyboardInterrupt:
        say("interrupted: what there is")
    finally:
        surroundings = session.surroundings()
        session.close()
    if options.json is not None:
        options.json.mkdir(parents=True, exist_ok=True)
        text = json.dumps(document(session.results, session.checks, surroundings), indent=1)
        (options.json / "gpu.json").write_text(text + "\n")
    for line in (
        *preface(surroundings),
        *checks(session.checks),
        *table(session.results, peers, surroundings),
    ):
        print(line)
    return int(failed(session.results, session.checks))


if __name__ == "__main__":
    sys.exit(main())
