"""Where the operands of each step come from, and so how a repetition becomes a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from autodiff.backends.passes.rolling.repetitions import STEPS, WORTH, Repetition
from autodiff.ops.elementwise import add
from autodiff.ops.index import slice_into, slice_of, slice_set
from autodiff.trace.tape import Equation, Operand, Tape, operand_specs

SMALL = 1 << 12
"""Elements of a value up to which calling an operation takes longer than doing it: larger steps stay written out."""

FAR = 8
"""A step reads values of so many steps before it."""

Flags = np.ndarray[Any, np.dtype[np.bool_]]


class Steps:
    """A tape, who makes its values, and who reads them.

    Attributes:
        tape: the program.
        maker: for each slot the number of the equation that fills it, -1 for inputs.
        readers: for each slot the numbers of the equations that read it; the count of equations for an output.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.maker = [-1] * len(tape.inputs)
        self.readers: list[list[int]] = [[] for _ in tape.specs]
        for number, equation in enumerate(tape.equations):
            self.maker.extend([number] * len(equation.results))
            for o in equation.operands:
                if isinstance(o, int):
                    self.readers[o].append(number)
        for out in tape.outputs:
            if isinstance(out, int):
                self.readers[out].append(len(tape.equations))

    def is_there(self, operand: Operand, number: int) -> bool:
        """Whether an operand is there before an equation."""
        return not isinstance(operand, int) or self.maker[operand] < number

    def read_from(self, slot: int, number: int) -> bool:
        """Whether an equation from a number on reads a slot, or it is an output."""
        readers = self.readers[slot]
        return bool(readers) and readers[-1] >= number

    def position(self, slot: int) -> int:
        """Which result of its equation a slot is."""
        return slot - self.tape.equations[self.maker[slot]].results[0]


class Inside(NamedTuple):
    """A value of an operation ``lag`` steps before: the operation's place in the step, and which result."""

    place: int
    result: int
    lag: int


class Same(NamedTuple):
    """A value from outside, the same in all steps."""

    operand: Operand


class Varying(NamedTuple):
    """Values from outside, one for each step."""

    operands: tuple[Operand, ...]


Origin = Inside | Same | Varying


@dataclass
class Plan:
    """How a repetition becomes a loop. Equations of a step are named by their place in it.

    Attributes:
        start: the first equation of the first step.
        period: how many equations a step has.
        count: how many steps there are.
        origins: for each equation where its operands come from.
        keys: for equations that take or write another part in each step, their keys.
        gathered: equations whose results are parts of one value from outside.
        placed: equations that write to another place in each step of an array that is carried: each with the equation
            that gives the array of the next step, which is itself or a sum.
        fixed: equations that give the same in all steps.
    """

    start: int
    period: int
    count: int
    origins: list[list[Origin]]
    keys: dict[int, tuple[Any, ...]]
    gathered: set[int] = field(default_factory=set)
    placed: dict[int, int] = field(default_factory=dict)
    fixed: set[int] = field(default_factory=set)

    @property
    def stop(self) -> int:
        """The equation after the last step."""
        return self.start + self.period * self.count

    @property
    def outside(self) -> set[int]:
        """The equations that are not left in a step."""
        return self.gathered | self.fixed | set(self.placed) | set(self.placed.values())

    def number(self, place: int, step: int) -> int:
        """The number of an equation of a step."""
        return self.start + step * self.period + place


def planned(steps: Steps, found: Repetition) -> Plan | None:
    """How a repetition becomes a loop; None where it does not."""
    start, period = found.start + best_start(steps, found), found.period
    count = (found.stop - start) // period
    equations = steps.tape.equations
    if count < STEPS:
        return None
    always: dict[int, Flags] = {}
    plan = Plan(start, period, count, [], {})
    for place in range(period):
        column = equations[start + place : plan.stop : period]
        row: list[Origin] = []
        for operands in zip(*(each.operands for each in column), strict=True):
            origin = origin_of(steps, operands, plan)
            lag = origin.lag if isinstance(origin, Inside) else 0
            always[lag] = expected(steps, operands, origin, plan) & always.get(lag, True)
            row.append(origin)
        plan.origins.append(row)
        if any(each.params != column[0].params for each in column):
            plan.keys[place] = tuple(dict(each.params)["key"] for each in column)
    first, stop = longest_stretch(always, count)
    if stop - first < STEPS or (stop - first) * period < WORTH or max(always, default=0) > FAR:
        return None
    plan = shortened(plan, first, stop)
    return plan if begins_outside(steps, plan) and with_parts(steps, plan) and is_small(steps, plan) else None


def is_small(steps: Steps, plan: Plan) -> bool:
    """Whether no operation that is left in a step reads or makes a large value."""
    outside = plan.outside
    return not any(
        own.size > SMALL
        for place in range(plan.period)
        if place not in outside
        for equation in (steps.tape.equations[plan.number(place, 0)],)
        for own in (*equation.specs, *operand_specs(equation.operands, steps.tape.specs))
    )


def best_start(steps: Steps, found: Repetition) -> int:
    """The place in a period where a step begins: where the fewest values go on to the next one."""
    period = found.period
    middle = found.start + period * ((found.stop - found.start) // period // 2)
    change = np.zeros(2 * period + 1, np.int64)
    for at in range(period):
        for slot in steps.tape.equations[middle - period + at].results:
            farthest = max((r - middle + period for r in steps.readers[slot] if r < middle + at + 1), default=at)
            change[at + 1] += 1
            change[farthest + 1] -= 1
    crossing = np.cumsum(change)[: 2 * period]
    return int(np.argmin(crossing[:period] + crossing[period:]))


def origin_of(steps: Steps, operands: Sequence[Operand], plan: Plan) -> Origin:
    """Where an operand of the steps comes from, by what it is in the middle."""
    middle = plan.count // 2
    one, other = operands[middle], operands[middle + 1]
    if isinstance(one, int) and isinstance(other, int):
        made = steps.maker[one] - plan.start
        if made >= 0 and steps.maker[other] - plan.start == made + plan.period:
            return Inside(made % plan.period, steps.position(one), middle - made // plan.period)
    return Same(one) if one == other else Varying(tuple(operands))


def expected(steps: Steps, operands: Sequence[Operand], origin: Origin, plan: Plan) -> Flags:
    """In which steps an operand comes from where it does in the middle."""
    if isinstance(origin, Inside):
        made = [plan.number(origin.place, k - origin.lag) for k in range(plan.count)]
        return np.array([
            isinstance(o, int) and steps.maker[o] == number and steps.position(o) == origin.result
            for o, number in zip(operands, made, strict=True)
        ])  # fmt: skip
    if isinstance(origin, Same):
        return np.array([
            o == origin.operand and steps.is_there(o, plan.number(0, k)) for k, o in enumerate(operands)
        ])  # fmt: skip
    return np.array([steps.is_there(o, plan.start) for o in operands])


def longest_stretch(always: Mapping[int, Flags], count: int) -> tuple[int, int]:
    """The longest stretch of steps in which operands are as expected.

    Args:
        always: for each lag whether operands that come from so many steps before do so in each step. In the first steps
            of the stretch, as many as the lag, they may be something else.
        count: how many steps there are.
    """
    best = (0, 0)
    first = 0
    for k in range(count):
        first = max([first, *(k - lag + 1 for lag, flags in always.items() if not flags[k])])
        if k + 1 - first > best[1] - best[0]:
            best = (first, k + 1)
    return best


def shortened(plan: Plan, first: int, stop: int) -> Plan:
    """The plan for some of the steps."""
    origins = [[Varying(o.operands[first:stop]) if isinstance(o, Varying) else o for o in row] for row in plan.origins]
    keys = {place: column[first:stop] for place, column in plan.keys.items()}
    keys = {place: column for place, column in keys.items() if any(key != column[0] for key in column)}
    return Plan(plan.number(0, first), plan.period, stop - first, origins, keys)


def first_operands(steps: Steps, plan: Plan, place: int, number: int, lag: int) -> tuple[Operand, ...]:
    """What an operand is in the first steps, before the loop itself has made what is read there later."""
    return tuple(steps.tape.equations[plan.number(place, k)].operands[number] for k in range(lag))


def begins_outside(steps: Steps, plan: Plan) -> bool:
    """Whether all that is carried into the first steps is there before them."""
    return all(
        steps.is_there(operand, plan.start)
        for place, row in enumerate(plan.origins)
        for number, origin in enumerate(row)
        if isinstance(origin, Inside)
        for operand in first_operands(steps, plan, place, number, origin.lag)
    )


def with_parts(steps: Steps, plan: Plan) -> bool:
    """Take note of parts that differ from step to step, and of what does not; False where that makes no loop."""
    equations = steps.tape.equations[plan.start : plan.start + plan.period]
    for place, equation in enumerate(equations):
        if place not in plan.keys:
            if all(is_outside(plan, origin) for origin in plan.origins[place]):
                plan.fixed.add(place)
        elif len(varying_parts(plan.keys[place])) != 1:
            return False
        elif equation.primitive is slice_of and is_outside(plan, plan.origins[place][0]):
            plan.gathered.add(place)
        else:
            total = array_after(steps, plan, place, equation)
            if total is None:
                return False
            plan.placed[place] = total
    return True


def is_outside(plan: Plan, origin: Origin) -> bool:
    """Whether an operand is the same in all steps."""
    return isinstance(origin, Same) or (isinstance(origin, Inside) and not origin.lag and origin.place in plan.fixed)


def varying_parts(keys: Sequence[tuple[Any, ...]]) -> list[int]:
    """Which parts of keys differ: of keys of one form these are integers."""
    return [k for k, parts in enumerate(zip(*keys, strict=True)) if len(set(parts)) > 1]


def array_after(steps: Steps, plan: Plan, place: int, equation: Equation) -> int | None:
    """The equation of a step that gives an array to the next one, and nothing to anybody else, after a write to it.

    None where something else is done with the array.
    """
    if equation.primitive is slice_set:
        before = plan.origins[place][0]
        return place if before == Inside(place, 0, 1) and read_by_itself(steps, plan, place) else None
    if equation.primitive is not slice_into:
        return None
    totals: set[int] = set()
    for k in range(plan.count):
        (slot,) = steps.tape.equations[plan.number(place, k)].results
        readers = steps.readers[slot]
        if len(readers) != 1 or readers[0] >= plan.stop:
            return None
        totals.add(readers[0] - plan.number(0, k))
    (total, *others) = totals
    if others or not 0 <= total < plan.period or steps.tape.equations[plan.number(total, 0)].primitive is not add:
        return None
    carried = [o for o in plan.origins[total] if o == Inside(total, 0, 1)]
    return total if len(carried) == 1 and read_by_itself(steps, plan, total) else None


def read_by_itself(steps: Steps, plan: Plan, place: int) -> bool:
    """Whether what an equation gives is read by itself in the next step alone, but for the last one."""
    return all(
        steps.readers[steps.tape.equations[plan.number(place, k)].results[0]] == [plan.number(place, k + 1)]
        for k in range(plan.count - 1)
    )
