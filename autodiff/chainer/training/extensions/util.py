"""Bars of progress on a terminal."""

from __future__ import annotations

import datetime
import os
import sys
import time
from collections import deque
from typing import Any


class ProgressBar:
    """Draws lines again and again at the same place. A subclass says which: :meth:`get_lines`.

    Args:
        bar_length: the length of a bar in characters; 50 by default.
        out: the stream; standard output by default.
    """

    def __init__(self, bar_length: int | None = None, out: Any = None) -> None:
        self._bar_length = 50 if bar_length is None else bar_length
        self._out = sys.stdout if out is None else out
        self._recent_timing: deque[tuple[int, float, float]] = deque(maxlen=100)

    def update_speed(self, iteration: int, epoch_detail: float) -> tuple[float, float]:
        """Iterations and epochs per second since the oldest of the last hundred calls; infinite at first."""
        now = time.time()
        self._recent_timing.append((iteration, epoch_detail, now))
        old_iteration, old_epoch, old_time = self._recent_timing[0]
        seconds = now - old_time
        if seconds <= 0:
            return float("inf"), float("inf")
        return (iteration - old_iteration) / seconds, (epoch_detail - old_epoch) / seconds

    def get_lines(self) -> list[str]:
        """The lines to draw, each with its end."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lines(self)")

    def update(self) -> None:
        """Draw the lines, and go back to the first of them."""
        self.erase_console()
        lines = self.get_lines()
        self._out.write("".join(lines))
        self.move_cursor_up(len(lines))
        self.flush()

    def close(self) -> None:
        """Take the lines away."""
        self.erase_console()
        self.flush()

    def erase_console(self) -> None:
        """Erase everything below the cursor."""
        write_control(self._out, "\033[J")

    def move_cursor_up(self, n: int) -> None:
        """Go up by ``n`` lines."""
        write_control(self._out, f"\033[{n:d}A")

    def flush(self) -> None:
        """Flush the stream, if that is possible."""
        if hasattr(self._out, "flush"):
            self._out.flush()

    def bar(self, fraction: float) -> str:
        """A bar and a percentage.

        >>> ProgressBar(10).bar(0.3)
        '[###.......] 30.00%'
        """
        marks = "#" * int(fraction * self._bar_length)
        return f"[{marks}{'.' * (self._bar_length - len(marks))}] {fraction:6.2%}"

    def speed_line(self, iteration: int, epoch_detail: float, left: float, unit: str = "iteration") -> str:
        """A line that says how fast it is going, and how long the rest will take."""
        iterations, epochs = self.update_speed(iteration, epoch_detail)
        speed = iterations if unit == "iteration" else epochs
        seconds = left / speed if speed > 0 else 0.0
        finish = datetime.timedelta(seconds=seconds)
        return f"{iterations:10.5g} iters/sec. Estimated time to finish: {finish}.\n"


def write_control(out: Any, sequence: str) -> None:
    """Write a control sequence; a console of Windows is told to understand them first."""
    if os.name == "nt":
        os.system("")
    out.write(sequence)
