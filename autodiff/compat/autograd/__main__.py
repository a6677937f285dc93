"""``python -m autodiff.compat.autograd script.py``: run a program that says ``import autograd``, without a change."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import TracebackType

from autodiff.compat.autograd.names import AGAIN, SCRIPT, install
from autodiff.running.script import from_first_line, run_module, run_script

DESCRIPTION = """Run a program that was written for HIPS autograd, without a change: autograd is
autodiff.compat.autograd, in the program and in the libraries that it imports."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="python -m autodiff.compat.autograd", description=DESCRIPTION)
    found.add_argument("-m", dest="module", action="store_true", help="the program is a module, not a file")
    found.add_argument("program", help="the script, or the module's name after -m")
    found.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")
    return found


def show_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error that the program did not catch, from the program's own first line on."""
    trace = from_first_line(trace, [__file__])
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def main(command_line: Sequence[str]) -> None:
    """Run what the command line says."""
    arguments = parser().parse_args(command_line)
    if not arguments.module and not os.path.isfile(arguments.program):
        parser().error(f"there is no file {arguments.program!r}; -m {arguments.program} runs a module")
    install()
    sys.excepthook = show_error
    if arguments.module:
        run_module(arguments.program, arguments.arguments)
    else:
        run_script(arguments.program, arguments.arguments, AGAIN, SCRIPT)


if __name__ == "__main__":
    main(sys.argv[1:])
