"""The interpreters of one number of threads: started together, started again after one had to be stopped."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from benchmarks.contest.worker import REFERENCE
from benchmarks.interpreter import Interpreter, InterpreterError
from benchmarks.threads import variables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MODULE = "benchmarks.contest.worker"
PATIENCE = 240.0  # seconds for compiling a program
SETTINGS = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}  # no pool of compilers that stays behind


class Contestants:
    """Those who could be loaded; `absent` has the others' reasons."""

    def __init__(self, names: Sequence[str], threads: int) -> None:
        self.threads = threads
        self.present: dict[str, Interpreter] = {}
        self.absent: dict[str, str] = {}
        for name in names:
            try:
                self.present[name] = started(name, threads)
            except InterpreterError as error:
                self.absent[name] = str(error)

    def describe(self) -> dict[str, Any]:
        """Versions and settings."""
        return {name: interpreter.ask("describe") for name, interpreter in self.present.items()}

    def restart(self, name: str) -> None:
        """Stop one that does not answer, and start it afresh; if that fails too, it is absent from now on."""
        self.present.pop(name).stop()
        try:
            self.present[name] = started(name, self.threads)
        except InterpreterError as error:
            self.absent[name] = str(error)

    def close(self) -> None:
        """End them all."""
        for interpreter in self.present.values():
            interpreter.close()


def started(name: str, threads: int) -> Interpreter:
    """An interpreter of its own for one library."""
    return Interpreter(name, [sys.executable, "-m", MODULE, name, str(threads)], {**variables(threads), **SETTINGS})


def write_reference(program: str, row: int, folder: Path) -> None:
    """Let a process of its own compute the right results.

    Raises:
        InterpreterError: if it cannot; the text is its own.
    """
    interpreter = started(REFERENCE, 2)
    try:
        interpreter.ask("write", program=program, row=row, folder=str(folder))
    finally:
        interpreter.close()
