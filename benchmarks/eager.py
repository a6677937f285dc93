"""`python -m benchmarks.eager`: what recording and reading one operation costs, beside the peers.

Everything is measured in one run and in turns. Libraries read the thread settings once, when they are
imported; so this file imports nothing that imports NumPy before they are pinned.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from shutil import which

from benchmarks.programs import PROGRAMS
from benchmarks.subjects import SUBJECTS
from benchmarks.threads import pin

LENGTHS = (10, 1_000, 100_000)
LENGTH_HELP = (
    "length of the arrays; may be repeated: the constants chain runs at each, the other programs at the "
    "shortest (default: 10, 1000 and 100000, with --quick only 10)"
)


def parse(given: list[str] | None) -> argparse.Namespace:
    """The command line; argparse ends the process on what it does not know."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.eager",
        description="Microseconds per recorded operation: autodiff and its peers, in one run and in turns.",
    )
    add = parser.add_argument
    add("--length", type=positive, action="append", metavar="N", help=LENGTH_HELP)
    add("--program", action="append", choices=list(PROGRAMS), help="only this one; may be repeated")
    add("--subject", action="append", choices=list(SUBJECTS), help="only this one; may be repeated")
    add("--quick", action="store_true", help="few operations and rounds: a smoke test, not a measurement")
    add("--json", type=Path, metavar="PATH", help="write all figures of all rounds to this file")
    add("--chainer-python", metavar="PATH", help="interpreter that has Chainer, if this one has not")
    options = parser.parse_args(given)
    if options.json is not None and not options.json.resolve().parent.is_dir():
        parser.error(f"--json {options.json}: its folder does not exist")
    if options.chainer_python is not None and which(options.chainer_python) is None:
        parser.error(f"--chainer-python {options.chainer_python}: no such program")
    return options


def positive(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"needed a whole number from 1, got {text!r}")
    return int(text)


def main(given: list[str] | None = None) -> int:
    """Measure, print, write. 1 when a gradient was wrong or one of our own faces failed, else 0."""
    options = parse(given)
    pin()
    from benchmarks.document import document  # noqa: PLC0415 -- after pin(), as said above
    from benchmarks.report import preface, table  # noqa: PLC0415
    from benchmarks.session import session  # noqa: PLC0415
    from benchmarks.verify import WrongGradientError  # noqa: PLC0415

    lengths = options.length or (LENGTHS[:1] if options.quick else LENGTHS)
    programs, subjects = options.program or list(PROGRAMS), options.subject or list(SUBJECTS)
    try:
        results, surroundings = session(lengths, programs, subjects, options.quick, options.chainer_python)
    except WrongGradientError as error:
        print(f"aborted, wrong gradient: {error}", file=sys.stderr)
        return 1
    for line in (*preface(surroundings), *table(results)):
        print(line)
    if options.json is not None:
        options.json.write_text(json.dumps(document(results, surroundings), indent=1) + "\n")
    failed = {found.subject for case in results.values() for found in case if found.failure}
    return int(any(name.startswith("autodiff") for name in failed.union(surroundings["absent"])))


if __name__ == "__main__":
    sys.exit(main())
