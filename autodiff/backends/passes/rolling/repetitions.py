"""Where a sequence of operations comes again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from autodiff.ops.index import slice_of
from autodiff.trace.tape import Equation, Tape, operand_specs, ordered, strict

STEPS, LONG = 8, 300
"""So many steps become a loop, in programs of so many operations."""

WORTH = LONG // 4
"""So many operations of one loop are worth it."""

NEARLY = 0.8
"""A shorter period is taken if it covers so much of what a longer one does: loops inside of others come first."""

WINDOWS, MOST = (1, 4, 16), 16
"""So many operations in a row are looked for further on; and so many distances are tried, the most frequent ones."""

Labels = np.ndarray[Any, np.dtype[np.int64]]


class Repetition(NamedTuple):
    """Operations from ``start`` to before ``stop``, each of which is the same as the one ``period`` places before."""

    start: int
    stop: int
    period: int


def labels_of(tape: Tape) -> Labels:
    """A number for each operation: equal where they differ in values and in places of slices alone.

    The rows of different stacks are different things: a sum of rows, now of one, now of the other, repeats both.
    """
    known: dict[Any, int] = {}
    tapes: dict[int, tuple[Tape, int]] = {}
    stacks = stacks_of(tape)

    def same(value: Any) -> Any:
        """A parameter as comparisons see it; tapes by number, since comparing them takes long."""
        if not isinstance(value, Tape):
            return strict(value)
        if id(value) not in tapes:
            tapes[id(value)] = value, known.setdefault(value, len(known))
        return tapes[id(value)][1]

    def label(equation: Equation) -> int:
        if ordered(equation):
            return -1 - equation.results[0]  # equal to no other one
        params = tuple((name, shape_of_key(value) if name == "key" else same(value)) for name, value in equation.params)
        operands = tuple(
            (own, stacks.get(o) if isinstance(o, int) else "number")
            for o, own in zip(equation.operands, operand_specs(equation.operands, tape.specs), strict=True)
        )
        return known.setdefault((equation.primitive, params, operands, equation.specs), len(known))

    return np.array([label(equation) for equation in tape.equations], np.int64)


def stacks_of(tape: Tape) -> dict[int, int]:
    """For slots that are rows of a value of which many rows are taken: that value."""
    rows: dict[int, list[int]] = {}
    for equation in tape.equations:
        (whole, *_) = equation.operands or (None,)
        if (
            equation.primitive is slice_of
            and isinstance(whole, int)
            and any(type(part) is int for part in dict(equation.params)["key"])
        ):
            rows.setdefault(whole, []).append(equation.results[0])
    return {slot: whole for whole, found in rows.items() if len(found) >= STEPS for slot in found}


def shape_of_key(key: Any) -> Any:
    """A key without the integers in it."""
    return tuple(int if type(part) is int else part for part in key) if isinstance(key, tuple) else key


def repetitions(labels: Labels) -> list[list[Repetition]]:
    """The longest repetitions of each period.

    First come those of the shortest period that finds nearly as much as any other, then those that find most.
    """
    found: dict[int, list[Repetition]] = {}
    for period in likely_periods(labels):
        runs = [run for run in runs_of(labels, period) if long_enough(run) and has_no_shorter_period(labels, run)]
        if runs:
            found[period] = runs
    covered = {period: sum(run.stop - run.start for run in runs) for period, runs in found.items()}
    most = max(covered.values(), default=0)
    first = min((period for period, count in covered.items() if count >= NEARLY * most), default=0)
    order = sorted(found, key=lambda period: (period != first, -covered[period], period))
    return [found[period] for period in order]


def long_enough(run: Repetition) -> bool:
    """Whether a repetition is worth a loop."""
    return run.stop - run.start >= max(STEPS * run.period, WORTH)


def has_no_shorter_period(labels: Labels, run: Repetition) -> bool:
    """Whether a repetition does not repeat within its period."""
    own = labels[run.start : run.start + run.period]
    divisors = [k for k in range(1, run.period) if run.period % k == 0]
    return not any((own[k:] == own[:-k]).all() for k in divisors)


def likely_periods(labels: Labels) -> list[int]:
    """Distances at which the same operation comes again, or the same few ones in a row: those that are met most."""
    longest = len(labels) // STEPS
    weights = np.zeros(longest + 1)
    for width in WINDOWS:
        if len(labels) <= width:
            break
        windows = np.lib.stride_tricks.sliding_window_view(labels, width)
        which = np.unique(windows, axis=0, return_inverse=True)[1].reshape(-1)
        order = np.argsort(which, kind="stable")
        gaps = np.diff(order)[np.diff(which[order]) == 0]
        gaps = gaps[gaps <= longest]
        weights += np.bincount(gaps, minlength=longest + 1) * np.arange(longest + 1)
    return [int(period) for period in np.argsort(-weights, kind="stable")[:MOST] if weights[period] > 0]


def runs_of(labels: Labels, period: int) -> Iterator[Repetition]:
    """The longest stretches in which each operation is the same as the one a period later."""
    same = labels[:-period] == labels[period:]
    edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8)))
    last = 0
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if stop > last:  # what a stretch before has taken is not taken again
            yield Repetition(max(start, last), stop + period, period)
            last = stop + period
