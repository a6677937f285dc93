"""One run: stage after stage, item after item, until all is known or the time is up."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic

from autodiff.testing.gpu.journal import START, Journal
from autodiff.testing.gpu.process import RIGHT, TOO_LONG, Answer, StartError, Worker
from autodiff.testing.gpu.stages import Stage

LEAST = 4.0
"""Seconds without which no item begins."""
MARGIN = 2.0
"""Seconds before the end at which an item is cut off: so long takes it to write what there is."""
MOST_JOBS = 8
"""More contexts of CUDA side by side win nothing."""


def default_jobs() -> int:
    """Processes side by side."""
    return max(1, min(MOST_JOBS, (os.cpu_count() or 1) // 2))


class Session:
    """Runs items and notes how they end.

    Args:
        journal: where.
        seconds: for everything.
        standin: whether the stand-in for CuPy takes the place of a GPU.
        jobs: processes side by side, where that is allowed.
        only: items whose names contain one of these texts; all if there are none.
        again: whether items that went wrong run once more.
        say: takes a line of progress.

    Attributes:
        ready: processes that have started already, by the modules whose items they run.
    """

    def __init__(
        self,
        journal: Journal,
        seconds: float,
        standin: bool = False,
        jobs: int = 1,
        only: Sequence[str] = (),
        again: bool = False,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.journal, self.standin, self.jobs, self.only, self.again = journal, standin, jobs, only, again
        self.end, self.say = monotonic() + seconds, say
        self.ready: dict[str, Worker] = {}

    @property
    def left(self) -> float:
        """Seconds."""
        return self.end - monotonic()

    def run(self, stages: Sequence[Stage]) -> None:
        """All stages in turn."""
        for stage in stages:
            reason = stage.why_not()
            if reason:
                self.journal.left_out(stage.name, reason)
                self.say(f"{stage.name}: left out: {reason}")
            elif self.left > LEAST:
                self.stage(stage)
        for worker in self.ready.values():
            worker.stop()

    def stage(self, stage: Stage) -> None:
        """The open items of one stage."""
        try:
            first = self.ready.pop(stage.module, None) or Worker(stage.module, self.standin)
        except (StartError, TimeoutError) as error:
            self.enter(stage, START, Answer("crashed", str(error) or "it did not start in time"))
            return
        self.journal.named(stage.name, first.names)
        names = self.journal.open(stage.name, self.again)
        waiting = deque(name for name in names if not self.only or any(text in name for text in self.only))
        self.say(f"{stage.name}: {len(waiting)} of {len(first.names)} items to run ({stage.about}), {self.left:.0f} s")
        most = 1 if stage.alone else min(self.jobs, len(waiting))
        others = [threading.Thread(target=self.work, args=(stage, waiting, None)) for _ in range(most - 1)]
        for other in others:
            other.start()
        self.work(stage, waiting, first)
        for other in others:
            other.join()

    def work(self, stage: Stage, waiting: deque[str], worker: Worker | None) -> None:
        """Take one item after the other, in one process after the other."""
        try:
            while self.left > LEAST:
                try:
                    name = waiting.popleft()
                except IndexError:
                    return
                worker = self.item(stage, name, worker)
        finally:
            if worker is not None:
                worker.stop()

    def item(self, stage: Stage, name: str, worker: Worker | None) -> Worker | None:
        """Run one item; the process that may run the next. What went wrong may have broken its context."""
        try:
            worker = worker or Worker(stage.module, self.standin)
        except (StartError, TimeoutError) as error:
            self.enter(stage, name, Answer("crashed", f"its process did not start: {error}"))
            return None
        left = self.left - MARGIN
        answer = worker.ask(name, min(stage.seconds, max(1.0, left)))
        if answer.outcome == TOO_LONG and left < stage.seconds:
            self.say(f"{stage.name}: {name}: cut off by the end of the run, stays open")
            return None
        self.enter(stage, name, answer)
        if answer.outcome in (RIGHT, "left out"):
            return worker
        worker.stop()
        return None

    def enter(self, stage: Stage, name: str, answer: Answer) -> None:
        """Note how an item ended."""
        self.journal.enter(stage.name, name, answer)
        first = answer.text.splitlines()[0] if answer.text else ""
        self.say(f"{stage.name}: {name}: {answer.outcome} in {answer.seconds:.1f} s {first}".rstrip())
