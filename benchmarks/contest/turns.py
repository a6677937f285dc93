"""Taking turns on one row: everybody compiles, then every round gives each one sample."""

from __future__ import annotations

from collections import deque
from time import sleep
from typing import TYPE_CHECKING

from benchmarks.contest.contestants import PATIENCE
from benchmarks.contest.plan import plan
from benchmarks.contest.result import Measurement
from benchmarks.interpreter import InterpreterError, WrongAnswerError

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.contest.contestants import Contestants

PAUSE = 0.004  # seconds in which the last one's threads stop spinning


def measure(contestants: Contestants, program: str, row: int, folder: Path, quick: bool) -> dict[str, Measurement]:
    """Everybody's figures; who fails, or computes something wrong, has that in place of them."""
    found = {name: Measurement(name) for name in contestants.present}
    seconds = prepare(contestants, program, row, folder, found)
    if seconds:
        take_turns(contestants, seconds, found, quick)
    for name in list(contestants.present):
        if not found[name].failure:
            contestants.present[name].ask("release")
    return found


def prepare(
    contestants: Contestants, program: str, row: int, folder: Path, found: dict[str, Measurement]
) -> dict[str, float]:
    """Compiled and compared with the reference; about how long a call takes those who are ready.

    Compilers take long and are not timed, so they work at the same time; then each is asked again how long it takes.
    """
    for interpreter in contestants.present.values():
        interpreter.send("prepare", program=program, row=row, folder=str(folder))
    ready = []
    for name, interpreter in contestants.present.items():
        measurement = found[name]
        try:
            answer = interpreter.hear(PATIENCE)
        except WrongAnswerError as error:
            measurement.wrong = str(error)
        except InterpreterError as error:
            measurement.failure = str(error)
        else:
            measurement.left_out, measurement.error = answer.get("left_out"), answer.get("error")
            ready += [] if measurement.left_out else [name]
    for name in [name for name in contestants.present if found[name].failure]:
        contestants.restart(name)
    return {name: contestants.present[name].ask("guess") for name in ready}


def take_turns(contestants: Contestants, seconds: dict[str, float], found: dict[str, Measurement], quick: bool) -> None:
    """Round after round; each begins with another one, so that nobody always comes after the same one."""
    planned = plan(seconds, quick)
    order = deque(planned.calls.items())
    for turn in range(planned.rounds):
        order.rotate(-1)
        for name, calls in tuple(order):
            if turn >= planned.turns[name] or found[name].failure:
                continue
            sleep(PAUSE)
            try:
                sample = contestants.present[name].ask("sample", PATIENCE, calls=calls)
            except InterpreterError as error:
                found[name].failure = str(error)
                contestants.restart(name)
                continue
            found[name].calls = calls
            found[name].rounds.append(sample["seconds"])
            found[name].busy.append(sample["busy"])
            found[name].interrupted += sample["interrupted"]
