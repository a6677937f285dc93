"""The log as a table on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from numbers import Number
from typing import Any

from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.extensions.log_report import LogReport
from autodiff.chainer.training.extensions.util import write_control


class PrintReport(Extension):
    """Prints chosen values of each new entry of the log in columns.

    Args:
        entries: the names of the values, one for each column.
        log_report: the name of the ``LogReport`` in the trainer; or a ``LogReport`` that this extension shall call.
        out: the stream.
    """

    def __init__(self, entries: Iterable[str], log_report: str | LogReport = "LogReport", out: Any = None) -> None:
        self._entries = list(entries)
        self._log_report = log_report
        self._out = sys.stdout if out is None else out
        self._log_len = 0
        self._header: str | None = "  ".join(f"{entry:<10}" for entry in self._entries) + "\n"

    def __call__(self, trainer: Any) -> None:
        if self._header:
            self._out.write(self._header)
            self._header = None
        for entry in self._current_log(trainer)[self._log_len :]:
            write_control(self._out, "\033[J")
            self._print(entry)
            self._log_len += 1

    def _current_log(self, trainer: Any) -> list[dict[str, Any]]:
        if isinstance(self._log_report, str):
            return trainer.get_extension(self._log_report).log  # type: ignore[no-any-return]
        self._log_report(trainer)
        return self._log_report.log

    def _print(self, entry: dict[str, Any]) -> None:
        self._out.write("".join(cell(entry.get(name, ""), max(10, len(name))) for name in self._entries) + "\n")
        if hasattr(self._out, "flush"):
            self._out.flush()

    def serialize(self, serializer: Any) -> None:
        """Save or restore the ``LogReport``, if it belongs to this extension."""
        if isinstance(self._log_report, LogReport):
            self._log_report.serialize(serializer["_log_report"])


def cell(value: Any, width: int) -> str:
    """A value in a column: a number with six digits, anything else as it is.

    >>> cell(0.63098326, 10), cell("best", 10)
    ('0.630983    ', 'best        ')
    """
    text = f"{value:g}" if isinstance(value, Number) else str(value)
    return f"{text:<{width}}  "
