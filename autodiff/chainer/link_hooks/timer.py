"""Measuring the time that links take."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

from autodiff.backends import gpu
from autodiff.chainer.link_hook import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, LinkHook

UNITS = {"sec": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
"""How many of each make a second, the longest first."""


class TimerHook(LinkHook):
    """Measures how long the calls of links take.

    Attributes:
        call_history: pairs of the name of a link's class and of seconds, in the order in which calls returned.

    >>> import time
    >>> from autodiff.chainer import Link
    >>> class Slow(Link):
    ...     def forward(self, x):
    ...         return time.sleep(0.01)
    >>> with TimerHook() as hook:
    ...     Slow()(1)
    >>> hook.total_time() > 0.01, hook.summary()["Slow"]["occurrence"]
    (True, 1)
    """

    name = "TimerHook"

    def __init__(self) -> None:
        self.call_history: list[tuple[str, float]] = []
        self._running: list[float] = []
        self._total = 0.0

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        self._running.append(now(args.link))

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        elapsed = now(args.link) - self._running.pop()
        self.call_history.append((type(args.link).__name__, elapsed))
        if not self._running:
            self._total += elapsed

    def total_time(self) -> float:
        """How many seconds all calls took; calls within calls count once."""
        return self._total

    def summary(self) -> dict[str, dict[str, Any]]:
        """For the name of each class its seconds, ``"elapsed_time"``, and its number of calls, ``"occurrence"``."""
        summary: dict[str, dict[str, Any]] = {}
        for name, elapsed in self.call_history:
            record = summary.setdefault(name, {"elapsed_time": 0, "occurrence": 0})
            record["elapsed_time"] += elapsed
            record["occurrence"] += 1
        return summary

    def print_report(self, unit: str = "auto", file: TextIO | None = None) -> None:
        """Print :meth:`summary` as a table.

        Args:
            unit: of the times: ``"sec"``, ``"ms"``, ``"us"``, ``"ns"``; ``"auto"`` for what suits the longest one,
                ``"auto_foreach"`` for what suits each.
            file: where to; standard output if None.
        """
        file = sys.stdout if file is None else file
        summary = self.summary()
        if unit == "auto":
            unit = suited(max((record["elapsed_time"] for record in summary.values()), default=0.0))
        rows = [("LinkName", "ElapsedTime", "Occurrence")] + [
            (name, in_unit(record["elapsed_time"], unit), str(record["occurrence"])) for name, record in summary.items()
        ]
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            file.write("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) + "\n")
        file.flush()


def now(link: Any) -> float:
    """The clock, once the GPU has done what it was given if the link is there."""
    if link.xp.__name__ == "cupy":
        gpu.synchronize()
    return time.perf_counter()


def suited(seconds: float) -> str:
    """The longest unit of which it is at least one."""
    return next((unit for unit, count in UNITS.items() if seconds * count >= 1), "ns" if seconds else "sec")


def in_unit(seconds: float, unit: str) -> str:
    """The time as text."""
    if unit == "auto_foreach":
        unit = suited(seconds)
    if unit not in UNITS:
        raise ValueError(f"there is no unit {unit!r}; use {', '.join(UNITS)}, auto or auto_foreach")
    return f"{seconds * UNITS[unit]:.2f}{unit}"
