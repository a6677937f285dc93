"""Recording functions of arrays, and cutting parts out of their tapes."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

from autodiff.trace.spec import Spec
from autodiff.trace.staging import stage
from autodiff.trace.tape import Equation, Operand, Tape
from autodiff.trace.trees.tree import flatten


def staged(fun: Callable[..., Any], inputs: Iterable[Spec]) -> Tape:
    """The tape of a function of arrays; arrays that it closes over become constants."""
    specs = list(inputs)
    return stage(fun, specs, flatten(tuple(specs))[1]).tape


def dependent(tape: Tape, slots: Iterable[int]) -> set[int]:
    """The slots that depend on one of the given ones, with these."""
    found = set(slots)
    for equation in tape.equations:
        if not found.isdisjoint(o for o in equation.operands if isinstance(o, int)):
            found.update(equation.results)
    return found


def needed_of(
    equations: Sequence[Equation], outputs: Iterable[Operand], given: Container[int], kept: Container[int] = ()
) -> list[Equation]:
    """The operations that compute the outputs from what is given, and what they need; and those that are kept."""
    needed = {out for out in outputs if isinstance(out, int) and out not in given}
    found = []
    for equation in reversed(equations):
        if not needed.isdisjoint(equation.results) or equation.results[0] in kept:
            found.append(equation)
            needed.update(o for o in equation.operands if isinstance(o, int) and o not in given)
    return found[::-1]


def cut(
    tape: Tape,
    inputs: Sequence[int],
    equations: Sequence[Equation],
    outputs: Sequence[Operand],
    kept: Container[int] = (),
) -> Tape:
    """The part of a tape that computes the outputs from the inputs, which are slots of it, and does what is kept.

    Args:
        tape: the tape.
        inputs: slots.
        equations: some of its operations.
        outputs: what is wanted.
        kept: first results of operations that are done, wanted or not.
    """
    used = needed_of(equations, outputs, set(inputs), kept)
    read = {o for o in (*outputs, *(o for e in used for o in e.operands)) if isinstance(o, int)}
    constants = range(len(tape.inputs) - len(tape.constants), len(tape.inputs))
    brought = [slot for slot in constants if slot in read and slot not in inputs]
    number = {slot: k for k, slot in enumerate((*inputs, *brought))}

    def again(operand: Operand) -> Operand:
        return number[operand] if isinstance(operand, int) else operand

    moved = []
    count = len(number)
    for e in used:
        operands = tuple(map(again, e.operands))
        results = tuple(range(count, count := count + len(e.results)))
        for slot, place in zip(e.results, results, strict=True):
            number.setdefault(slot, place)  # what is an input remains what was computed before
        moved.append(Equation(e.primitive, operands, e.params, results, e.specs, e.source))

    specs = tape.specs
    return Tape(
        tuple(specs[slot] for slot in (*inputs, *brought)),
        tuple(moved),
        tuple(map(again, outputs)),
        tuple(tape.constants[slot - constants.start] for slot in brought),
    )
