"""Steps that a Python loop has written out one after the other become a loop again.

``for x in xs: h = step(h, x)`` is traced as a tape of all steps. As one long text it would take a time to compile that
grows with the number of steps, and soon too long. But the steps are the same operations on the values of the step
before them, so they are found again as a repetition in the sequence of operations, and become one ``scan``:

1. ``repetitions.py`` finds where a sequence of operations comes again and again.
2. ``origins.py`` looks at where each operand comes from, step by step: from the same step, from one before, from
   outside and the same in all steps, or from outside and another one in each. Steps at either end that are different,
   as the first ones of a recursion are, stay as they are.
3. ``loops.py`` writes the loop. What comes from a step before is carried; what differs comes in by slices of a stack,
   which is often there already: the rows ``x[k]`` of an array, or what a loop before has stacked.

Reverse mode writes out its steps too, in the other order. They are a second loop, which takes what the first one has
stacked.

Before all that the tape is brought into an order in which steps can be seen: here, and in ``rows.py`` for arrays that
are filled row by row. ``stacks.py`` makes the stacks.
"""

from __future__ import annotations

from dataclasses import replace

from autodiff.backends.passes.rewrite.dead import drop_dead, renumbered
from autodiff.backends.passes.rewrite.rewriting import holds_tapes, in_bodies, rewrite, stays_apart
from autodiff.backends.passes.rolling.loops import written
from autodiff.backends.passes.rolling.origins import SMALL, Steps, planned
from autodiff.backends.passes.rolling.repetitions import LONG, labels_of, repetitions
from autodiff.backends.passes.rolling.rows import with_rows_read
from autodiff.ops.index import slice_of
from autodiff.trace.tape import Equation, Operand, Tape, ordered

ROUNDS = 12
"""Loops are looked for so often: those around others come after these."""


def rolled(tape: Tape) -> Tape:
    """The tape with loops in the places of steps that are written out, here and in the bodies of its operations.

    It is the tape itself where there are none.
    """
    tape = in_bodies(tape, rolled)
    if not is_long(tape):
        return tape
    before = now = without_waiting(done_once(with_rows_read(tape)))
    for _ in range(ROUNDS):
        again = rolled_once(now)
        if again is now:
            break
        now = again
    return tape if now is before else now


def is_long(tape: Tape) -> bool:
    """Whether loops are looked for in a program."""
    return len(tape.equations) >= LONG


def rolled_once(tape: Tape) -> Tape:
    """The tape with loops for the repetitions of one period."""
    found = repetitions(labels_of(tape))
    steps = Steps(tape) if found else None
    for runs in found:
        assert steps is not None
        plans = [plan for run in runs if (plan := planned(steps, run)) is not None]
        again = written(steps, plans) if plans else tape
        if again is not tape:
            return again
    return tape


def done_once(tape: Tape) -> Tape:
    """The tape with each operation done once: what a step gives and the next one begins with is the same value."""
    return rewrite(drop_dead(tape), {}, merge=True, apart=is_of_one_step)


def is_of_one_step(equation: Equation) -> bool:
    """Whether an operation is not merged with another one: that some steps take the same row says nothing of others."""
    row = equation.primitive is slice_of and any(type(part) is int for part in dict(equation.params)["key"])
    return row or stays_apart(equation)


def without_waiting(tape: Tape) -> Tape:
    """The tape with each operation as early as it can be done, if that is the last one to read one of its operands.

    Reverse mode adds up what the steps contribute to one cotangent when all of it is there, after all steps. So do
    programs that collect values in a list. The sine and cosine of a number, which reverse mode asks for later, are
    done together, because that takes as long as one of them. Large arrays stay where they are, if no other one goes for
    them, and so does what ``checkpoint`` computes again.
    """
    count = len(tape.inputs)
    reads = [0] * len(tape.specs)
    missing: list[int] = []
    readers: dict[int, list[int]] = {}
    own = [{o for o in equation.operands if isinstance(o, int) and o >= count} for equation in tape.equations]
    for k, operands in enumerate(own):
        missing.append(len(operands))
        for o in operands:
            reads[o] += 1
            readers.setdefault(o, []).append(k)
    for out in tape.outputs:
        if isinstance(out, int):
            reads[out] += 1
    angles: dict[Operand, list[int]] = {}
    for k, equation in enumerate(tape.equations):
        if equation.primitive.name in ("sin", "cos") and equation.specs[0].size <= SMALL:
            angles.setdefault(equation.operands[0], []).append(k)
    order: list[int] = []
    done = [False] * len(tape.equations)
    for first in range(len(tape.equations)):
        waiting = [first]
        while waiting:
            k = waiting.pop()
            if done[k]:
                continue
            done[k] = True
            order.append(k)
            for o in own[k]:
                reads[o] -= 1
            ready: list[int] = []
            for slot in tape.equations[k].results:
                for reader in readers.get(slot, ()):
                    missing[reader] -= 1
                    if not missing[reader] and not done[reader] and may_move(tape.equations[reader]):
                        ready.append(reader)
            for reader in reversed(ready):
                ending = [tape.specs[o].size for o in own[reader] if reads[o] == 1]
                if ending and sum(s.size for s in tape.equations[reader].specs) <= max(SMALL, *ending):
                    waiting.append(reader)
            if tape.equations[k].primitive.name in ("sin", "cos"):
                waiting.extend(angles.get(tape.equations[k].operands[0], ()))
    return tape if order == list(range(len(order))) else in_order(tape, order)


def may_move(equation: Equation) -> bool:
    """Whether an operation may be done earlier."""
    return not ordered(equation) and not any(holds_tapes(value) for _, value in equation.params)


def in_order(tape: Tape, order: list[int]) -> Tape:
    """The tape with its operations in another order."""
    slots = [*range(len(tape.inputs)), *(slot for k in order for slot in tape.equations[k].results)]
    number = {slot: k for k, slot in enumerate(slots)}
    return replace(
        tape,
        equations=tuple(renumbered(tape.equations[k], number) for k in order),
        outputs=tuple(number[out] if isinstance(out, int) else out for out in tape.outputs),
    )
