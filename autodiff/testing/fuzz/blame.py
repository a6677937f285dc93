"""Whose error it is that a transformed program raises."""

from __future__ import annotations

from collections.abc import Iterator
from traceback import walk_tb

from autodiff.testing.fuzz.program import Program
from autodiff.trace.errors import RuleError
from autodiff.trace.source import USERS, owner

PROGRAM = "<fuzz>"
"""The file that programs seem to be written in."""


def of_user(error: BaseException, program: Program) -> bool:
    """Whether an error comes out of an operation of the user, or is about its rule.

    The library refuses some programs under some transformations. It says so in errors of its own, below lines of the
    program; what a user wrote stands in a file of the user's.
    """
    if not program.operations:
        return False
    return any(isinstance(one, RuleError) or passes_user(one) for one in chain(error))


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and those that it was raised from."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def passes_user(error: BaseException) -> bool:
    """Whether a line of a file of the user's was running."""
    files = (frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__))
    return any(file != PROGRAM and not file.startswith("<") and owner(file) is USERS for file in files)
