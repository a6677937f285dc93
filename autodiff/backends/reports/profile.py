"""How long programs take, statement by statement, while somebody looks."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import TracebackType

from autodiff.backends.reports.counts import Count
from autodiff.backends.reports.entry import Entry, Event
from autodiff.backends.reports.table import seconds, short, table
from autodiff.backends.reports.trace import written
from autodiff.backends.reports.watching import open_profiles
from autodiff.trace.forking import lock_of

MOST = 1_000_000
"""So many events are kept for the trace; the table counts all of them."""

HEAD = ("what runs", "calls", "total", "mean", "share", "bytes/s", "operations/s", "lines")
LONGEST = 60


@dataclass
class Row:
    """What was timed of one statement; see :class:`~autodiff.backends.reports.entry.Entry`.

    Attributes:
        calls: how often it ran.
        nanoseconds: in all, without the statements inside.
        count: what it did in all.
    """

    program: str
    kind: str
    name: str
    source: str
    calls: int = 0
    nanoseconds: int = 0
    count: Count = field(default_factory=Count)

    @property
    def bytes_per_second(self) -> float:
        return self.count.bytes / self.nanoseconds * 1e9 if self.nanoseconds else 0.0

    @property
    def operations_per_second(self) -> float:
        """Operations and functions."""
        return (self.count.operations + self.count.functions) / self.nanoseconds * 1e9 if self.nanoseconds else 0.0


class OfThread(threading.local):
    """What is going on in one thread.

    Attributes:
        children: for each statement that runs, nanoseconds that statements inside of it took, the outermost first.
    """

    def __init__(self) -> None:
        self.children: list[int] = []


running = OfThread()
_lock = lock_of(sys.modules[__name__], "_lock")


def begin() -> None:
    """A statement begins."""
    running.children.append(0)


def note(entry: Entry, start: int, end: int) -> None:
    """A statement has ended."""
    children = running.children
    own = end - start - children.pop()
    if children:
        children[-1] += end - start
    event = Event(entry, start, end, threading.get_ident())
    for profile in tuple(open_profiles):
        profile.add(event, own)


class Profile:
    """What programs did while it was open, in all threads; print it for a table.

    Programs that are called while a profile is open run a second version of their code, which reads the clock around
    each statement: about a microsecond for each. On GPUs each statement is waited for, so that its time is its own.
    Programs are as they were when none is open.

    >>> import numpy as np
    >>> from autodiff import jit, profile
    >>> f = jit(lambda x: np.sum(np.exp(x)), backend="numpy")
    >>> with profile() as found:
    ...     for _ in range(3):
    ...         _ = f(np.ones(10))
    >>> sorted((row.kind, row.name, row.calls) for row in found.rows if row.kind == "NumPy")
    [('NumPy', 'exp', 3), ('NumPy', 'sum', 3)]
    >>> found.save("trace.json")  # doctest: +SKIP
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.dropped = 0
        self.totals: dict[Entry, tuple[int, int]] = {}
        self.lock = lock_of(self, "lock")

    def __enter__(self) -> Profile:
        with _lock:
            if self in open_profiles:
                raise RuntimeError("this profile is open already; make another one with autodiff.profile()")
            open_profiles.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            open_profiles.remove(self)

    def add(self, event: Event, own: int) -> None:
        """Note that a statement ran, for so many nanoseconds without those inside."""
        with self.lock:
            calls, nanoseconds = self.totals.get(event.entry, (0, 0))
            self.totals[event.entry] = calls + 1, nanoseconds + own
            if len(self.events) < MOST:
                self.events.append(event)
            else:
                self.dropped += 1

    @property
    def rows(self) -> list[Row]:
        """What was timed, the longest first. The row of a program is the time that it spent between its statements."""
        found: dict[tuple[str, str, str, str], Row] = {}
        with self.lock:
            totals = list(self.totals.items())
        for entry, (calls, nanoseconds) in totals:
            key = entry.program, entry.kind, entry.name, entry.source
            row = found.setdefault(key, Row(*key))
            row.calls += calls
            row.nanoseconds += nanoseconds
            row.count += entry.count * calls
        return sorted(found.values(), key=lambda row: -row.nanoseconds)

    def __str__(self) -> str:
        rows = self.rows
        if not rows:
            return "no program of autodiff.jit ran while this profile was open"
        total = sum(row.nanoseconds for row in rows)
        lines = [cells(row, total) for row in rows]
        lines.append(("total", "", seconds(total), "", "", "", "", ""))
        return table(HEAD, lines, frozenset((0, len(HEAD) - 1)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a trace that chrome://tracing and Perfetto (https://ui.perfetto.dev) show.

        Args:
            path: of a JSON file, which is replaced.
        """
        with self.lock:
            events: Iterable[Event] = list(self.events)
        with open(path, "w", encoding="utf-8") as file:
            file.write(written(events, self.dropped))


def cells(row: Row, total: int) -> tuple[str, ...]:
    """The cells of a row."""
    label = f"{row.kind}: {row.name}"
    label = label if len(label) <= LONGEST else f"{label[: LONGEST - 4]} ..."
    moving = short(row.bytes_per_second, "B") if row.count.bytes else "-"
    working = short(row.operations_per_second) if row.operations_per_second else "-"
    share = f"{100 * row.nanoseconds / max(total, 1):.1f} %"
    mean = seconds(row.nanoseconds / row.calls)
    return label, str(row.calls), seconds(row.nanoseconds), mean, share, moving, working, row.source


def profile() -> Profile:
    """A context manager that times what programs of ``jit`` do while it is open; see :class:`Profile`.

    Returns:
        a :class:`Profile`: ``print(found)`` shows a table, ``found.save("trace.json")`` writes a trace for
        chrome://tracing and Perfetto, ``found.rows`` are the numbers.

    >>> from autodiff import jit
    >>> double = jit(lambda x: 2 * x, backend="numpy")
    >>> with profile() as found:
    ...     _ = double(1.0)
    >>> len(found.rows) > 0
    True
    """
    return Profile()
