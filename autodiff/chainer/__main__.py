"""``python -m autodiff.chainer script.py``: run a program that says ``import chainer``, without a change."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from autodiff.chainer.running.errors import AGAIN, SCRIPT, show_error
from autodiff.chainer.running.setting import Setting
from autodiff.running.script import run_module, run_script

DESCRIPTION = """Run a program that was written for Chainer, without a change: chainer, chainerx and chainermn are
autodiff's own modules, in the processes that it starts too, and NumPy and Python have their former names."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="python -m autodiff.chainer", description=DESCRIPTION)
    found.add_argument("--compat", choices=["v1"], help="accept what Chainer 1 had: volatile, train=, test=, ...")
    found.add_argument(
        "--no-numpy-aliases",
        action="store_true",
        help="leave NumPy and Python as they are, without np.float, collections.Iterable, ...",
    )
    found.add_argument("-m", dest="module", action="store_true", help="the program is a module, not a file")
    found.add_argument("program", help="the script, or the module's name after -m")
    found.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")
    return found


def main(command_line: Sequence[str]) -> None:
    """Run what the command line says."""
    arguments = parser().parse_args(command_line)
    if not arguments.module and not os.path.isfile(arguments.program):
        parser().error(f"there is no file {arguments.program!r}; -m {arguments.program} runs a module")
    setting = Setting(arguments.compat, not arguments.no_numpy_aliases)
    setting.bequeath()
    setting.enter()
    sys.excepthook = show_error
    if arguments.module:
        setting.cover(Path.cwd())
        run_module(arguments.program, arguments.arguments)
    else:
        run_script(arguments.program, arguments.arguments, AGAIN, SCRIPT, setting.code_of)


if __name__ == "__main__":
    main(sys.argv[1:])
