"""Measuring the time that functions take."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

from autodiff.backends import gpu
from autodiff.chainer.function_hooks.naming import class_or_label
from autodiff.chainer.function_hooks.report import print_table
from autodiff.chainer.link_hooks.timer import UNITS, in_unit, suited
from autodiff.facade.graph.observing import FunctionHook


class TimerHook(FunctionHook):
    """Measures how long functions take, forwards and backwards.

    Attributes:
        call_history: pairs of the name of a function and of seconds, in the order in which they ended. Own classes of
            functions go by their names, others by their labels in graphs.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> with TimerHook() as hook:
    ...     y = 2 * Variable(np.ones(3)) + 1
    >>> [name for name, seconds in hook.call_history], hook.summary()["AddConstant"]["occurrence"]
    (['MulConstant', 'AddConstant'], 1)
    """

    name = "TimerHook"
    table = UNITS

    def __init__(self) -> None:
        self.call_history: list[tuple[str, float]] = []
        self._running: list[float] = []
        self._total = 0.0

    def forward_preprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        self._running.append(now(in_data))

    def forward_postprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        self._end(function, in_data)

    def backward_preprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        self._running.append(now((*in_data, *out_grad)))

    def backward_postprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        self._end(function, (*in_data, *out_grad))

    def _end(self, function: Any, arrays: tuple[Any, ...]) -> None:
        elapsed = now(arrays) - self._running.pop()
        self.call_history.append((class_or_label(function), elapsed))
        if not self._running:
            self._total += elapsed

    def total_time(self) -> float:
        """How many seconds all functions took; functions within functions count once."""
        return self._total

    def summary(self) -> dict[str, dict[str, Any]]:
        """For each name its seconds, ``"elapsed_time"``, and its number of calls, ``"occurrence"``."""
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

        Raises:
            ValueError: if there is no such unit.
        """
        summary = self.summary()
        if unit == "auto":
            unit = suited(max((record["elapsed_time"] for record in summary.values()), default=0.0))
        rows = [(name, in_unit(record["elapsed_time"], unit), record["occurrence"]) for name, record in summary.items()]
        print_table(("FunctionName", "ElapsedTime", "Occurrence"), rows, sys.stdout if file is None else file)


def now(arrays: tuple[Any, ...]) -> float:
    """The clock, once the GPU has done what it was given if one of the arrays is there."""
    if any(map(gpu.is_gpu_array, arrays)):
        gpu.synchronize()
    return time.perf_counter()
