"""What is timed, and the times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from autodiff.backends.reports.counts import Count


@dataclass(frozen=True, eq=False)
class Entry:
    """What is timed: a statement of a program, or the program.

    Args:
        program: its name.
        kind: ``program``, ``kernel``, ``BLAS``, ``LAPACK``, ``NumPy``, ``Python``, ``view``, ``loop``, ``branch``,
            ``tape``.
        name: what it does.
        source: the user's lines.
        count: what it does in one call.
    """

    program: str
    kind: str
    name: str
    source: str
    count: Count


class Event(NamedTuple):
    """One run of a statement.

    Attributes:
        entry: the statement.
        start: nanoseconds of the clock.
        end: the same.
        thread: its number.
    """

    entry: Entry
    start: int
    end: int
    thread: int
