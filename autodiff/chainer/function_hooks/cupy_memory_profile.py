"""Memory of the GPU that functions take."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from autodiff.chainer.backends import cuda
from autodiff.chainer.function_hooks.naming import class_or_label
from autodiff.chainer.function_hooks.report import print_table
from autodiff.facade.graph.observing import FunctionHook

UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4, "PB": 1024**5, "EB": 1024**6, "ZB": 1024**7}

Bytes = tuple[int, int]


class CupyMemoryProfileHook(FunctionHook):
    """Counts the bytes that functions take from CuPy's memory pool, and those that the pool takes from the GPU.

    Attributes:
        call_history: triples of the name of a function, of bytes taken from the pool, and of bytes that the pool took.

    Raises:
        RuntimeError: without CuPy.
    """

    name = "CupyMemoryProfileHook"

    def __init__(self) -> None:
        cuda.check_cuda_available()
        self.call_history: list[tuple[str, int, int]] = []
        self._counter = counter()
        self._running: list[Bytes] = []
        self._total = (0, 0)

    def added(self, function: Any = None) -> None:
        self._counter.__enter__()

    def deleted(self, function: Any = None) -> None:
        self._counter.__exit__()

    def forward_preprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        self._running.append((self._counter.used, self._counter.acquired))

    def forward_postprocess(self, function: Any, in_data: tuple[Any, ...]) -> None:
        self._end(function)

    def backward_preprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        self._running.append((self._counter.used, self._counter.acquired))

    def backward_postprocess(self, function: Any, in_data: tuple[Any, ...], out_grad: tuple[Any, ...]) -> None:
        self._end(function)

    def _end(self, function: Any) -> None:
        used, acquired = self._running.pop()
        taken = (self._counter.used - used, self._counter.acquired - acquired)
        self.call_history.append((class_or_label(function), *taken))
        if not self._running:
            self._total = (self._total[0] + taken[0], self._total[1] + taken[1])

    def total_used_bytes(self) -> int:
        """The bytes taken from the pool; functions within functions count once."""
        return self._total[0]

    def total_acquired_bytes(self) -> int:
        """The bytes that the pool took; functions within functions count once."""
        return self._total[1]

    def summary(self) -> dict[str, dict[str, int]]:
        """For each name ``"used_bytes"``, ``"acquired_bytes"`` and the number of calls, ``"occurrence"``."""
        summary: dict[str, dict[str, int]] = {}
        for name, used, acquired in self.call_history:
            record = summary.setdefault(name, {"used_bytes": 0, "acquired_bytes": 0, "occurrence": 0})
            record["used_bytes"] += used
            record["acquired_bytes"] += acquired
            record["occurrence"] += 1
        return summary

    def print_report(self, unit: str = "auto", file: TextIO | None = None) -> None:
        """Print :meth:`summary` as a table.

        Args:
            unit: ``"B"``, ``"KB"``, ...; ``"auto"`` for what suits the largest number, ``"auto_foreach"`` for what
                suits each.
            file: where to; standard output if None.

        Raises:
            ValueError: if there is no such unit.
        """
        records = self.summary()
        sizes = [record[key] for record in records.values() for key in ("used_bytes", "acquired_bytes")]
        chosen = suited(max(sizes, default=0)) if unit == "auto" else unit
        rows = [
            (
                name,
                in_unit(record["used_bytes"], chosen),
                in_unit(record["acquired_bytes"], chosen),
                record["occurrence"],
            )
            for name, record in records.items()
        ]
        head = ("FunctionName", "UsedBytes", "AcquiredBytes", "Occurrence")
        print_table(head, rows, sys.stdout if file is None else file)


def counter() -> Any:
    """A hook of CuPy's memory that counts bytes."""

    class Counter(cuda.cupy.cuda.MemoryHook):  # type: ignore[misc]
        name = "FunctionMemory"
        used = acquired = 0

        def malloc_postprocess(self, **kwargs: Any) -> None:
            self.used += kwargs["mem_size"]

        def alloc_postprocess(self, **kwargs: Any) -> None:
            self.acquired += kwargs["mem_size"]

    return Counter()


def suited(size: int) -> str:
    """The largest unit of which it is at least one.

    >>> suited(2048)
    'KB'
    """
    return next((unit for unit, count in reversed(UNITS.items()) if size >= count), "B")


def in_unit(size: int, unit: str) -> str:
    """A number of bytes as text.

    >>> in_unit(2048, "auto_foreach")
    '2.00KB'
    """
    if unit == "auto_foreach":
        unit = suited(size)
    if unit not in UNITS:
        raise ValueError(f"there is no unit {unit!r}; use {', '.join(UNITS)}, auto or auto_foreach")
    return f"{size / UNITS[unit]:.2f}{unit}"
