"""Taking turns on one row: everybody compiles, what is right is timed, in rounds, until the row's time is up."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from benchmarks.contest.peers import OURS
from benchmarks.gpu_contest.result import DeviceMeasurement
from benchmarks.gpu_programs.table import row_of
from benchmarks.interpreter import Interpreter, InterpreterError, WrongAnswerError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from benchmarks.gpu_contest.budget import Budget
    from benchmarks.gpu_contest.contestants import Contestants

SAMPLE = 0.02  # seconds; long beside the host's clock and its waiting
ROUNDS_SECONDS = 2.0  # for all samples of a row
FEWEST, MOST = 5, 25
MANY = 1 << 20  # calls of a sample
QUICK = 2  # rounds of one call
COLD = 20  # calls of a sample at most, where caches are emptied before each: that takes longer than the call
COPY = "copy"
ENOUGH = 30.0  # seconds for answers that compute nothing
BROKEN = ("IllegalAddress", "illegal memory access", "LaunchFailure", "unspecified launch failure", "LaunchTimeout",
          "MisalignedAddress", "misaligned address", "device-side assert", "IllegalInstruction")  # fmt: skip


def measure(
    contestants: Contestants, reference: Interpreter, program: str, row: int, folder: Path, budget: Budget, quick: bool
) -> dict[str, DeviceMeasurement]:
    """Everybody's figures, and those of a copy where the row asks for them; failures and errors in place of others."""
    found = {name: DeviceMeasurement(name) for name in contestants.present}
    ready = prepare(contestants, reference, program, row, folder, budget, found)
    seconds = guesses(contestants, ready, found, budget)
    if seconds:
        own = row_of(program, row, contestants.standin)
        take_turns(contestants, seconds, found, budget, quick, own.copied, own.cold)
        explained = DeviceMeasurement(OURS)
        found[OURS].explained = asked(contestants, OURS, explained, "explained") if OURS in seconds else None
    for name, measurement in found.items():
        asked(contestants, name, DeviceMeasurement(name), "release")
        if measurement.failure:
            asked(contestants, name, DeviceMeasurement(name), "alive")
    return found


def prepare(
    contestants: Contestants,
    reference: Interpreter,
    program: str,
    row: int,
    folder: Path,
    budget: Budget,
    found: dict[str, DeviceMeasurement],
) -> list[str]:
    """Those who are ready and right. All compile at the same time, while the reference is computed."""
    for interpreter in contestants.present.values():
        interpreter.send("prepare", program=program, row=row)
    reference.send("write", program=program, row=row, folder=str(folder))
    reference.hear(budget.patience)
    prepared = []
    for name in list(contestants.present):
        answer = heard(contestants, name, found[name], budget.patience)
        if answer is not None:
            found[name].left_out = answer.get("left_out")
            found[name].bytes = answer.get("bytes")
            prepared += [] if found[name].left_out else [name]
    for name in prepared:
        arguments = {"program": program, "row": row, "folder": str(folder)}
        found[name].error = asked(contestants, name, found[name], "compare", budget.patience, arguments)
    return [name for name in prepared if found[name].error is not None]


def guesses(
    contestants: Contestants, ready: list[str], found: dict[str, DeviceMeasurement], budget: Budget
) -> dict[str, float]:
    """About how long a call takes those who are ready."""
    answered = {name: asked(contestants, name, found[name], "guess", budget.patience) for name in ready}
    return {name: seconds for name, seconds in answered.items() if seconds is not None}


def take_turns(
    contestants: Contestants,
    seconds: dict[str, float],
    found: dict[str, DeviceMeasurement],
    budget: Budget,
    quick: bool,
    copied: int,
    cold: bool = False,
) -> None:
    """Round after round; each begins with another one, so that nobody always comes after the same one."""
    most = 1 if quick else COLD if cold else MANY
    calls = {name: min(most, max(1, round(SAMPLE / each))) for name, each in seconds.items()}
    round_seconds = sum(1.25 * max(SAMPLE, seconds[name]) for name in seconds)
    rounds = QUICK if quick else min(MOST, max(FEWEST, round(ROUNDS_SECONDS / round_seconds)))
    order = deque(seconds)
    for turn in range(rounds):
        if turn and budget.row_left < round_seconds:
            break
        order.rotate(-1)
        for name in tuple(order):
            if found[name].failure:
                continue
            sample = asked(contestants, name, found[name], "sample", budget.patience, {"calls": calls[name]})
            if sample is not None:
                found[name].calls = calls[name]
                found[name].rounds.append(sample)
        if copied and OURS in seconds and not found[OURS].failure:
            copy = found.setdefault(COPY, DeviceMeasurement(COPY))
            arguments = {"elements": copied, "calls": calls[OURS]}
            sample = asked(contestants, OURS, copy, "sample_copy", budget.patience, arguments)
            copy.rounds += [] if sample is None else [sample]


def asked(
    contestants: Contestants,
    name: str,
    measurement: DeviceMeasurement,
    call: str,
    patience: float = ENOUGH,
    arguments: Mapping[str, Any] | None = None,
) -> Any:
    """The answer; None where there is none, which the measurement remembers."""
    if name not in contestants.present:
        return None
    try:
        contestants.present[name].send(call, **(arguments or {}))
    except InterpreterError as error:
        measurement.failure = str(error)
        contestants.restart(name)
        return None
    return heard(contestants, name, measurement, patience)


def heard(contestants: Contestants, name: str, measurement: DeviceMeasurement, patience: float) -> Any:
    """The answer to what was sent. Who says nothing, or has lost its device, is started again."""
    try:
        return contestants.present[name].hear(patience)
    except WrongAnswerError as error:
        measurement.wrong = str(error)
    except InterpreterError as error:
        measurement.failure = str(error)
        if lost(str(error), name):
            contestants.restart(name)
    return None


def lost(text: str, name: str) -> bool:
    """Whether nothing more can be expected of this process: it is silent, it ended, or its CUDA context is broken."""
    silent = text == f"the interpreter for {name} ended without an answer" or text.startswith(f"no answer from {name} ")
    return silent or any(word in text for word in BROKEN)
