"""Smaller programs that still show what a larger one showed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff.testing.fuzz.checking import Compiled, Outcome, check, quiet
from autodiff.testing.fuzz.cutting import smaller_programs
from autodiff.testing.fuzz.drawing import Argument, Draw
from autodiff.testing.fuzz.modes import Mode
from autodiff.testing.fuzz.program import Program

TRIALS = 400
"""How many candidates are run at most."""

Case = tuple[Program, Draw]


def shrink(program: Program, draw: Draw, mode: Mode, kind: str, trials: int = TRIALS) -> tuple[Program, Draw, Outcome]:
    """The smallest program and draw found that end in a finding of this kind, and how they end.

    Every step takes the first candidate that still fails, and begins again, until none does.
    """
    best, outcome = (program, draw), check(program, draw, mode, Compiled(program))
    left, progress = trials, True
    while progress and left > 0:
        progress = False
        for candidate in candidates(best):
            left -= 1
            if left < 0:
                break
            found = outcome_of(candidate, mode)
            if found is not None and found.finding is not None and found.finding.kind == kind:
                best, outcome, progress = candidate, found, True
                break
    return *best, outcome


def outcome_of(case: Case, mode: Mode) -> Outcome | None:
    """How a candidate ends; None where it is no program at all, or both sides raise."""
    try:
        return check(*case, mode, Compiled(case[0]))
    except Exception:  # a candidate whose statements do not fit together
        return None


def candidates(case: Case) -> Iterator[Case]:
    """Cases with something left out, the boldest first."""
    program, draw = case
    with quiet():
        yield from ((smaller, one) for smaller, one in smaller_programs(program, draw))
    for simpler in simpler_draws(draw):
        yield program, simpler


def simpler_draws(draw: Draw) -> Iterator[Draw]:
    """Draws with one argument simpler: laid out plainly, or made of rounder numbers."""
    for part in ("arguments", "constants"):
        arguments: tuple[Argument, ...] = getattr(draw, part)
        for place, argument in enumerate(arguments):
            for simpler in simpler_arguments(argument):
                changed = (*arguments[:place], simpler, *arguments[place + 1 :])
                yield replace(draw, **{part: changed})


def simpler_arguments(argument: Argument) -> Iterator[Argument]:
    """Simpler arguments of the same shape and dtype."""
    value = argument.value
    if argument.layout != "contiguous":
        yield Argument(value)
    array = np.asarray(value)
    for simpler in (*SIMPLER, *ROUNDER) if array.dtype.kind in "fc" else SIMPLER:
        with np.errstate(all="ignore"):
            now = simpler(array)
        if now.dtype == array.dtype and weight(now) < weight(array):
            yield replace(argument, value=now if isinstance(value, np.ndarray) else type(value)(now[()]))


def _ones(array: Any) -> Any:
    return np.ones_like(array)


def _whole(array: Any) -> Any:
    return np.where(np.isfinite(array), np.round(array), array).astype(array.dtype)


def _tenths(array: Any) -> Any:
    return np.where(np.isfinite(array), np.round(array, 1), array).astype(array.dtype)


def _first(array: Any) -> Any:
    """The first element everywhere."""
    return np.full_like(array, array.reshape(-1)[0]) if array.size else array


SIMPLER: tuple[Callable[[Any], Any], ...] = (_ones, _first)
ROUNDER: tuple[Callable[[Any], Any], ...] = (_whole, _tenths)


def weight(array: Any) -> float:
    """How much there is to read in an array: different numbers, and digits."""
    numbers = np.unique(array).tolist()
    return len(numbers) + sum(len(repr(number)) for number in numbers) / 50 + math.log1p(array.size) / 1000
