"""``python -m autodiff.testing.fuzz --compiled``: the fuzzer's command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from autodiff.testing.fuzz.drawing import SIZES
from autodiff.testing.fuzz.fuzzing import Plan
from autodiff.testing.fuzz.jobs import reports
from autodiff.testing.fuzz.report import Report
from autodiff.testing.fuzz.shrinking import TRIALS
from autodiff.trace.memory.guarding import GUARDED

DESCRIPTION = """Random NumPy programs, run without compiler and with it. Mismatches are shrunk and printed as Python;
the exit status is 1 if there are any, or if more than a tenth of the checks says nothing."""

SKIPPED = 0.1
"""The share of checks that may say nothing."""

SEEDS = 1_000_000
"""Programs of one --seed: the number of a program is seed * SEEDS + its place."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="python -m autodiff.testing.fuzz", description=DESCRIPTION)
    found.add_argument("--compiled", action="store_true", help="compare with jit; without it, with tapes and vmap")
    found.add_argument("--programs", type=int, default=2000, help="how many programs")
    found.add_argument("--draws", type=int, default=10, help="how many draws of arguments for each")
    found.add_argument("--seed", type=int, default=0, help="other programs for other seeds")
    found.add_argument("--size", choices=SIZES, default="small", help="edges: of kernels; large arrays reach threads")
    found.add_argument("--guarded", action="store_true", help="a kernel that leaves its memory ends its process")
    found.add_argument("--checked", type=int, default=0, metavar="N", help="every N-th program checks its accesses")
    found.add_argument("--repeats", type=int, default=0, metavar="N", help="every N-th calls loops that it has twice")
    found.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; 1 runs in this one")
    found.add_argument("--only", type=int, nargs="+", metavar="NUMBER", help="only the programs of these numbers")
    found.add_argument("--backend", default="", help="that of jit, such as numpy: what runs without kernels")
    found.add_argument("--no-shrink", action="store_true", help="print programs as they were made")
    return found


def main(command_line: Sequence[str]) -> int:
    """Run the fuzzer; the exit status."""
    given = parser().parse_args(command_line)
    if given.guarded:
        refuse_unguarded(given.jobs)
    trials = 0 if given.no_shrink else TRIALS
    plan = Plan(
        given.draws, given.size, given.compiled, trials, given.backend, checked=given.checked, repeats=given.repeats
    )
    numbers = given.only or [given.seed * SEEDS + place for place in range(given.programs)]
    whole = Report()
    for report in reports(numbers, plan, given.jobs):
        for found in report.mismatches:
            say(f"{found}\n")
        whole.add(report)
        sys.stderr.write(f"\r{whole.programs} of {len(numbers)} programs, {whole.total('mismatch')} mismatches ")
    sys.stderr.write("\n")
    say(whole.table())
    return int(bool(whole.mismatches) or whole.skipped > SKIPPED)


def refuse_unguarded(jobs: int) -> None:
    """Memory is guarded from the start of a process on: those that are made now, not this one."""
    if jobs == 1 and not GUARDED:
        raise SystemExit("--guarded with --jobs 1 needs AUTODIFF_GUARD_MEMORY=1 in the environment")
    os.environ["AUTODIFF_GUARD_MEMORY"] = "1"


def say(text: str) -> None:
    """Print at once, also into a pipe."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
