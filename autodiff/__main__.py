"""`python -m autodiff`: the commands of the package, and programs that are run as they stand."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from autodiff import info
from autodiff.demo import command as demo
from autodiff.programs import script

COMMANDS = ("demo", "info")
PROGRAMS = """python -m autodiff script.py [argument ...] runs a program, and python -m autodiff -m module
[argument ...] a module, unchanged: what NumPy cannot ask traced values is asked in it, and in the modules beside it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, or the program, named on the command line; the exit code. Without one: the usage, and 0."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="python -m autodiff", description="Automatic differentiation of plain NumPy code.", epilog=PROGRAMS
    )
    if given[:1] == ["-m"]:
        if len(given) < 2:
            parser.error("-m is followed by the name of a module")
        script.run_module(given[1], given[2:])
        return 0
    if given and given[0] not in COMMANDS and not given[0].startswith("-"):
        if not os.path.isfile(given[0]):
            parser.error(f"{given[0]!r} is neither a file nor one of the commands {', '.join(COMMANDS)}")
        script.run_script(given[0], given[1:])
        return 0
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    demo.complete(commands.add_parser("demo", help=demo.SUMMARY, description=f"{demo.SUMMARY.capitalize()}."))
    info.complete(commands.add_parser("info", help=info.SUMMARY, description=f"{info.SUMMARY.capitalize()}."))
    options = parser.parse_args(given)
    if "run" not in options:
        parser.print_help()
        return 0
    exit_code: int = options.run(options)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
