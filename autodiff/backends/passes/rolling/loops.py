"""The loop of a plan, and what stands for the values of its steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.backends.passes.rolling.origins import (
    Inside,
    Plan,
    Same,
    Steps,
    Varying,
    first_operands,
    varying_parts,
)
from autodiff.backends.passes.rolling.stacks import (
    Rewritten,
    Row,
    StaysWrittenOut,
    as_spec,
    from_front,
    span,
    to_front,
)
from autodiff.ops.elementwise import add
from autodiff.ops.index import gather, scatter_add, slice_into, slice_of, slice_set
from autodiff.ops.join import WHOLE, stack
from autodiff.trace.primitive import find_primitive
from autodiff.trace.spec import Spec, result_spec, spec
from autodiff.trace.tape import Equation, Literal, Operand, Tape, operand_specs

Carried = tuple[int, int, tuple[Operand, ...]]
"""A result of an equation of a step, and what stands in its place in the first steps."""


def written(steps: Steps, plans: Sequence[Plan]) -> Tape:
    """The tape with the loops of plans, which follow each other; itself where nothing becomes one."""
    tape, out = steps.tape, Rewritten(steps.tape)
    waiting, number, loops = list(plans), 0, 0
    while number < len(tape.equations):
        plan = waiting.pop(0) if waiting and waiting[0].start == number else None
        if plan is not None and becomes_loop(Loop(steps, plan, out)):
            number, loops = plan.stop, loops + 1
            continue
        out.place(tape.equations[number])
        number += 1
    if not loops:
        return tape
    outputs = tuple(map(out.operand, tape.outputs))
    return drop_dead(replace(tape, equations=tuple(out.builder.equations), outputs=outputs))


def becomes_loop(loop: Loop) -> bool:
    """Write a loop; False if its steps stay as they are. What was written for it then nobody reads."""
    try:
        loop.write()
    except StaysWrittenOut:
        return False
    return True


@dataclass
class Inputs:
    """What goes into a step, with the specs that the step sees, in the order in which it is met.

    Attributes:
        carried: values of steps before.
        rows: one value for each step: of these values of the old tape, or of an equation that takes parts.
        same: values that are the same in all steps: of the old tape.
    """

    carried: dict[Carried, Spec]
    rows: dict[tuple[Operand, ...] | int, Spec]
    same: dict[int, Spec]


class Loop:
    """The loop of a plan in the making.

    Args:
        steps: the old tape.
        plan: of the loop.
        out: the new tape.
    """

    def __init__(self, steps: Steps, plan: Plan, out: Rewritten) -> None:
        self.steps, self.plan, self.out = steps, plan, out
        self.tape = steps.tape
        self.equations = self.tape.equations[plan.start : plan.start + plan.period]
        self.outside = plan.outside

    def write(self) -> None:
        """Write the loop, and take note of what stands for the values of its steps."""
        plan, out = self.plan, self.out
        self.refuse_scattered_writes()
        for place in sorted(plan.fixed):
            out.place(self.equations[place])
        out.builder.source = self.equations[0].source
        inputs = self.inputs()
        begin = [
            as_spec(out.builder, out.operand(first), own)
            for (_, _, firsts), own in inputs.carried.items()
            for first in reversed(firsts)
        ]
        stacks = [
            self.gathered(rows) if isinstance(rows, int) else out.stacked(rows, own)
            for rows, own in inputs.rows.items()
        ]
        same = list(map(out.operand, inputs.same))
        body = Body(self, inputs, [out.builder.spec(x) for x in same])
        kept = {key: body.made[key[0]][key[1]] for key in self.read_outside(set(body.finals))}
        outs = scan(out.builder, body, [*kept.values(), *body.placed.values()], plan.count, (begin, stacks, same))
        stacked = outs[len(begin) :]
        for (place, result), position in body.finals.items():
            out.now[self.slot(place, result, plan.count - 1)] = outs[position]
        for (place, result), whole in zip(kept, stacked, strict=False):
            for k in range(plan.count):
                slot = self.slot(place, result, k)
                if slot not in out.now:
                    out.waiting[slot] = Row(whole, -out.builder.spec(whole).ndim, k), self.tape.specs[slot]
        for place, whole in zip(body.placed, stacked[len(kept) :], strict=True):
            self.put(place, whole)
        self.take_note_of_what_is_outside()

    def refuse_scattered_writes(self) -> None:
        """Writes to places in no order are not done at once: some may be to one place.

        Raises:
            StaysWrittenOut: if there are such.
        """
        for place, total in self.plan.placed.items():
            if place == total and progression(self.axis_of(place, self.equations[place].specs[0])[-1]) is None:
                raise StaysWrittenOut

    def slot(self, place: int, result: int, step: int) -> int:
        """A slot of the old tape."""
        return self.tape.equations[self.plan.number(place, step)].results[result]

    def inputs(self) -> Inputs:
        """What goes into a step.

        Raises:
            StaysWrittenOut: if that is not what goes into the step of a loop.
        """
        found = Inputs({}, {}, {})
        for place, equation in enumerate(self.equations):
            if place in self.outside and place not in self.plan.placed:
                continue
            for number in self.operands_read(place):
                origin, old = self.plan.origins[place][number], equation.operands[number]
                (own,) = operand_specs([old], self.tape.specs)
                if isinstance(origin, Varying):
                    found.rows[origin.operands] = own
                elif isinstance(origin, Same):
                    if isinstance(old, int):
                        found.same[old] = own
                else:
                    self.take(found, origin, own)
                    if origin.lag:
                        found.carried[self.carried(place, number, origin)] = own
        return found

    def take(self, found: Inputs, origin: Inside, own: Spec) -> None:
        """Add what an operand from this step, or one before, needs from outside."""
        if origin.place in self.plan.gathered:
            found.rows[origin.place] = own
        elif origin.place in self.plan.fixed:
            found.same[self.slot(origin.place, origin.result, 0)] = own
        elif origin.place in self.outside:
            raise StaysWrittenOut
        if origin.lag and own.kind == "array" and not own.shape:
            raise StaysWrittenOut  # what goes round a loop without axes is a scalar

    def operands_read(self, place: int) -> Iterable[int]:
        """Which operands of an equation the step needs: of a write to an array that is carried only what is written."""
        count = len(self.equations[place].operands)
        return (count - 1,) if place in self.plan.placed else range(count)

    def carried(self, place: int, number: int, origin: Inside) -> Carried:
        """What is carried for an operand."""
        return origin.place, origin.result, first_operands(self.steps, self.plan, place, number, origin.lag)

    def read_outside(self, finals: set[tuple[int, int]]) -> list[tuple[int, int]]:
        """The results of equations of which values are read after the loop; of ``finals`` the last one is there."""
        last = self.plan.count - 1
        return [
            (place, result)
            for place, equation in enumerate(self.equations)
            if place not in self.outside
            for result in range(len(equation.results))
            if any(
                self.steps.read_from(self.slot(place, result, k), self.plan.stop)
                for k in range(last if (place, result) in finals else last + 1)
            )
        ]

    def take_note_of_what_is_outside(self) -> None:
        """What stands for results that are not computed in steps, where they are read after the loop."""
        for place in sorted(self.plan.fixed):
            for result, slot in enumerate(self.equations[place].results):
                for k in range(1, self.plan.count):
                    self.out.now[self.slot(place, result, k)] = self.out.now[slot]
        for place in sorted(self.plan.gathered):
            for k in range(self.plan.count):
                if self.steps.read_from(self.slot(place, 0, k), self.plan.stop):
                    self.out.place(self.tape.equations[self.plan.number(place, k)])

    # Parts that differ from step to step.

    def axis_of(self, place: int, whole: Spec) -> tuple[int, int, int, Sequence[int]]:
        """Which part of a key varies, the axis that it takes, the one that it would leave, and its places."""
        keys = self.plan.keys[place]
        (which,) = varying_parts(keys)
        taken = sum(isinstance(part, (int, tuple)) for part in keys[0][which:])
        left = sum(part is None or isinstance(part, tuple) for part in keys[0][which + 1 :])
        return which, -taken, -1 - left, [key[which] % whole.shape[-taken] for key in keys]

    def gathered(self, place: int) -> Operand:
        """The parts that an equation takes in all steps, one behind the other."""
        builder, equation = self.out.builder, self.equations[place]
        whole = self.out.operand(self.operand_outside(place))
        which, _, left, places = self.axis_of(place, builder.spec(whole))
        key = list(self.plan.keys[place][0])
        stretch = progression(places)
        key[which] = WHOLE if stretch is None else stretch
        builder.source = equation.source
        part = to_front(builder, builder.emit(slice_of, whole, key=tuple(key)), left)
        if stretch is not None:
            return part
        return builder.emit(gather, part, index(builder, places), rest=builder.spec(part).ndim - 1, chosen=False)

    def operand_outside(self, place: int) -> Operand:
        """The value from outside of which an equation takes parts."""
        origin = self.plan.origins[place][0]
        if isinstance(origin, Inside):
            return self.slot(origin.place, origin.result, 0)
        return self.equations[place].operands[0]

    def put(self, place: int, rows: Operand) -> None:
        """After the loop: what its steps have written to places of an array, or added there, all at once."""
        out, builder, plan = self.out, self.out.builder, self.plan
        own = self.equations[place].specs[0]
        which, axis, left, places = self.axis_of(place, own)
        key = list(plan.keys[place][0])
        stretch = progression(places)
        key[which] = WHOLE if stretch is None else stretch
        total = plan.placed[place]
        number = plan.origins[total].index(Inside(total, 0, 1))
        before = out.operand(self.equations[total].operands[number])
        builder.source = self.equations[place].source
        if stretch is None:
            length, rest = own.shape[axis], builder.spec(rows).ndim - 1
            rows = builder.emit(scatter_add, rows, index(builder, places), length=length, rest=rest, rank=1)
        part = from_front(builder, rows, left)
        if total == place:
            found = builder.emit(slice_set, before, part, key=tuple(key))
        else:
            found = builder.emit(add, before, builder.emit(slice_into, part, key=tuple(key), shape=own.shape))
        out.now[self.slot(total, 0, plan.count - 1)] = found


def progression(places: Sequence[int]) -> tuple[int | None, int | None, int | None] | None:
    """The slice that takes places one after the other; None where there is none."""
    step = places[1] - places[0]
    if step == 0 or any(place != places[0] + k * step for k, place in enumerate(places)):
        return None
    return span(places[0], step, len(places))


def index(builder: Builder, places: Sequence[int]) -> Operand:
    """Places as an array."""
    return builder.emit(stack, *(Literal(spec((), int).dtype.type(place)) for place in places), axis=-1)


class Body:
    """The step of a loop.

    Args:
        loop: which it is of.
        inputs: what goes into it.
        same: the specs of what is the same in all steps, outside.

    Attributes:
        builder: of its tape.
        made: the results of its equations.
        nexts: what is carried to the next step.
        finals: for results that are carried their positions among what the loop gives.
        placed: for equations that write to an array that is carried what they write.
    """

    def __init__(self, loop: Loop, inputs: Inputs, same: Sequence[Spec]) -> None:
        self.loop, self.plan = loop, loop.plan
        registers: dict[Carried, range] = {}
        wide: list[Spec] = []
        for key, own in inputs.carried.items():  # first the value of the step before, then that of the one before it
            registers[key] = range(len(wide), len(wide) + len(key[2]))
            wide += [own] * len(key[2])
        first = len(wide)
        wide += [result_spec(own.shape, own.dtype) for own in inputs.rows.values()]
        wide += same
        self.builder = Builder(wide, {})
        self.inputs = tuple(wide)
        self.registers = registers
        self.rows = {rows: as_spec(self.builder, first + k, own) for k, (rows, own) in enumerate(inputs.rows.items())}
        self.same = {old: first + len(inputs.rows) + k for k, old in enumerate(inputs.same)}
        self.made: dict[int, tuple[Operand, ...]] = {}
        self.placed: dict[int, Operand] = {}
        self.write()
        self.nexts: list[Operand] = []
        self.finals: dict[tuple[int, int], int] = {}
        for (place, result, _), own_slots in registers.items():
            self.finals[place, result] = len(self.nexts)
            self.nexts += [self.value(place, result), *own_slots[:-1]]

    def write(self) -> None:
        """Write the equations of the step."""
        for place, equation in enumerate(self.loop.equations):
            self.builder.source = equation.source
            if place in self.plan.placed:
                self.placed[place] = self.operand(place, len(equation.operands) - 1)
            elif place not in self.loop.outside:
                operands = tuple(self.operand(place, number) for number in range(len(equation.operands)))
                self.made[place] = self.builder.append(equation, operands)

    def operand(self, place: int, number: int) -> Operand:
        """What an operand is in the step."""
        origin, old = self.plan.origins[place][number], self.loop.equations[place].operands[number]
        if isinstance(origin, Varying):
            return self.rows[origin.operands]
        if isinstance(origin, Same):
            return self.same[old] if isinstance(old, int) else old
        if origin.lag:
            return self.registers[self.loop.carried(place, number, origin)][origin.lag - 1]
        return self.value(origin.place, origin.result)

    def value(self, place: int, result: int) -> Operand:
        """A result of an equation in the step."""
        if place in self.plan.gathered:
            return self.rows[place]
        if place in self.plan.fixed:
            return self.same[self.loop.slot(place, result, 0)]
        return self.made[place][result]


def scan(
    builder: Builder,
    body: Body,
    kept: Sequence[Operand],
    length: int,
    operands: tuple[Sequence[Operand], Sequence[Operand], Sequence[Operand]],
) -> tuple[Operand, ...]:
    """What is carried after the last step, then stacks of what the steps keep."""
    begin, stacks, same = operands
    if not begin and not kept:
        return ()
    tape = Tape(body.inputs, tuple(body.builder.equations), (*body.nexts, *kept))
    rows = tuple(spec((length, *s.shape), s.dtype) for s in map(body.builder.spec, kept))
    params: dict[str, Any] = {
        "tape": tape, "carry": len(begin), "slices": len(stacks), "length": length, "reverse": False, "unroll": 1,
    }  # fmt: skip
    specs = (*body.inputs[: len(begin)], *rows)
    equation = Equation(
        find_primitive("scan"), (*begin, *stacks, *same), tuple(sorted(params.items())), (), specs, builder.source
    )
    return builder.place(equation)
