"""``python -m autodiff.testing.gpu --seconds 500 --json gpu.json``: what is right on this GPU, and how fast."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from autodiff.testing.gpu.journal import Journal, OtherDeviceError
from autodiff.testing.gpu.page import enter_into, summary
from autodiff.testing.gpu.process import NoDeviceError, StartError, Worker
from autodiff.testing.gpu.session import Session, default_jobs
from autodiff.testing.gpu.stages import CHECKOUT, STAGES, chosen

SECONDS = 540.0
RIGHT, WRONG, REFUSED, NO_DEVICE, OPEN = 0, 1, 2, 3, 4
DESCRIPTION = """Stages in order of worth, item after item, within the seconds that are given. The file is written after
each item; a second run with the same file goes on where the first one stopped. Exit status: 0 if all is right, 1 if
something is wrong, 3 without a GPU, 4 if nothing is wrong so far but items are open."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="python -m autodiff.testing.gpu", description=DESCRIPTION)
    add = found.add_argument
    add("--seconds", type=float, default=SECONDS, help=f"for this run (default: {SECONDS:.0f})")
    add("--json", type=Path, metavar="FILE", help="where results are kept, and read from")
    add("--stage", action="append", choices=[stage.name for stage in STAGES], default=[], help="only this one")
    add("--only", action="append", metavar="TEXT", default=[], help="only items whose names contain it")
    add("--again", action="store_true", help="run once more what went wrong")
    add("--jobs", type=int, default=default_jobs(), help="processes side by side (default: %(default)s)")
    add("--stand-in", action="store_true", help="a trial on the CPU, with the tests' stand-in for CuPy")
    add("--page", type=Path, metavar="FILE", help="run nothing: write the results of --json into this page")
    return found


def main(command_line: Sequence[str]) -> int:
    """Run what is open and say how it went; the exit status."""
    given = parser().parse_args(command_line)
    journal = Journal(given.json)
    if given.page is not None:
        if given.json is None:
            parser().error("--page needs --json: the file with the results")
        enter_into(given.page, journal)
        return RIGHT
    if given.stand_in and not (CHECKOUT / "tests/standin").is_dir():
        parser().error("--stand-in needs a checkout of autodiff: the stand-in is part of its tests")
    stages = chosen(given.stage)
    try:
        module = next((stage.module for stage in stages if not stage.why_not()), STAGES[0].module)
        worker = Worker(module, given.stand_in)  # this process itself has no context of CUDA
        journal.begin(worker.device, given.seconds)
    except NoDeviceError as reason:
        say(f"nothing ran: CuPy has no GPU here: {reason}. With --stand-in everything runs on the CPU, as a trial.")
        return NO_DEVICE
    except OtherDeviceError as reason:
        worker.stop()
        say(f"nothing ran: {reason}")
        return REFUSED
    except (StartError, TimeoutError) as reason:
        say(f"nothing ran: a process did not start: {reason}")
        return REFUSED
    session = Session(journal, given.seconds, given.stand_in, given.jobs, given.only, given.again, say)
    session.ready[module] = worker
    try:
        session.run(stages)
    except KeyboardInterrupt:
        say("interrupted: what there is")
    for line in summary(journal):
        sys.stdout.write(line + "\n")
    return status(journal, [stage.name for stage in stages])


def status(journal: Journal, stages: Sequence[str]) -> int:
    """What the run ends with."""
    counts = [journal.counts(stage) for stage in stages]
    if any(count["wrong"] for count in counts):
        return WRONG
    known = all(stage in journal.content["names"] or stage in journal.content["left out"] for stage in stages)
    return RIGHT if known and not any(count["open"] for count in counts) else OPEN


def say(text: str) -> None:
    """Progress, apart from the results."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
