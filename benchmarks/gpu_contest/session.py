"""One run: everybody started, small programs checked, every row measured, and what surrounded it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from benchmarks.contest.peers import OURS
from benchmarks.contest.worker import REFERENCE
from benchmarks.environment import environment, load_average
from benchmarks.gpu_contest.contestants import Contestants, settings, started
from benchmarks.gpu_contest.result import DeviceMeasurement, DeviceResult
from benchmarks.gpu_contest.turns import COPY, asked, measure
from benchmarks.gpu_programs.table import PROGRAMS, row_of
from benchmarks.interpreter import InterpreterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.gpu_contest.budget import Budget

START = 120.0  # seconds for importing a library
WAYS = ("jit", "eager")  # in which small programs run
CHECK = 60.0  # seconds for a small program


class NoDeviceError(Exception):
    """autodiff finds no GPU; the text says why."""


class Session:
    """What one run finds out; it can be printed at any moment.

    Args:
        names: who takes part.
        budget: of time.
        standin: whether CuPy's stand-in takes the place of a GPU.
        quick: a smoke test.

    Raises:
        NoDeviceError: if there is no GPU.
    """

    def __init__(self, names: Sequence[str], budget: Budget, standin: bool, quick: bool) -> None:
        self.names, self.budget, self.standin, self.quick = names, budget, standin, quick
        self.results: list[DeviceResult] = []
        self.checks: dict[str, dict[str, dict[str, Any]]] = {}
        self.load_before = load_average()
        self.contestants = Contestants(names, standin)
        self.contestants.arrived(START)
        if OURS not in self.contestants.present:
            reason = self.contestants.absent[OURS]
            self.contestants.close()
            raise NoDeviceError(reason)
        self.reference = started(REFERENCE, 0.0, standin)
        self.machine = self.contestants.present[OURS].ask("machine", START)
        self.peers = self.contestants.describe()

    def check(self, only: Sequence[str]) -> None:
        """The small programs whose names contain one of the texts, one after the other, under `jit` and without."""
        known = self.contestants.present[OURS].ask("checks", START)
        names = [name for name in known if not only or any(text in name for text in only)]
        say(f"checking {len(names)} small programs ...")
        for way in WAYS:
            self.checks[way] = {name: self.checked(name, way) for name in names}

    def checked(self, name: str, way: str) -> dict[str, Any]:
        """The error of one program, or why there is none."""
        if self.budget.checks_left < 0:
            return {"not run": "out of time"}
        self.contestants.arrived(START if OURS not in self.contestants.present else 0.0)
        if OURS not in self.contestants.present:
            return {"failed": self.contestants.absent[OURS]}
        found = DeviceMeasurement(OURS)
        error = asked(self.contestants, OURS, found, "check", CHECK, {"name": name, "way": way})
        if found.wrong:
            return {"wrong": found.wrong}
        if found.failure:
            asked(self.contestants, OURS, DeviceMeasurement(OURS), "alive")
            return {"failed": found.failure}
        return {"error": error}

    def measure(self, rows: Sequence[tuple[str, int]]) -> None:
        """All the rows, until the time is up."""
        with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
            for name, number in rows:
                self.results.append(self.row(name, number, Path(folder) / "reference"))

    def row(self, name: str, number: int, folder: Path) -> DeviceResult:
        """One row."""
        result = DeviceResult(PROGRAMS[name], row_of(name, number, self.standin), 0, {})  # type: ignore[arg-type]
        if not self.budget.next_row():
            result.skipped = "out of time"
            return result
        say(f"measuring {result.name} ... ({self.budget.left:.0f} s left)")
        self.contestants.arrived(START / 8 if OURS not in self.contestants.present else 0.0)
        folder.mkdir()
        try:
            found = measure(self.contestants, self.reference, name, number, folder, self.budget, self.quick)
        except InterpreterError as error:
            result.skipped = f"no reference: {error}"
            self.again()
        else:
            result.copy = found.pop(COPY, None)
            result.measurements = {**found}
        rmtree(folder)
        return result

    def again(self) -> None:
        """Everybody anew: some have questions that nobody heard the answers to."""
        self.reference.stop()
        self.reference = started(REFERENCE, 0.0, self.standin)
        for name in list(self.contestants.present):
            self.contestants.restart(name)

    def surroundings(self) -> dict[str, Any]:
        """Where the figures come from."""
        return {
            "quick": self.quick,
            "standin": self.standin,
            "machine": self.machine,
            "environment": environment(),
            "load_average": {"before": self.load_before, "after": load_average()},
            "variables": settings(self.standin, self.contestants.memory),
            "peers": self.peers,
            "absent": dict(self.contestants.absent),
        }

    def close(self) -> None:
        """End all processes."""
        self.reference.close()
        self.contestants.close()


def say(text: str) -> None:
    """Progress, apart from the tables."""
    print(text, file=sys.stderr, flush=True)
