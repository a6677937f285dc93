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
    needed = {out for out in outputs if isinstance(out, int)}
    used = []
    for equation in reversed(equations):
        if not needed.isdisjoint(equation.results) or equation.results[0] in kept:
            used.append(equation)
            needed.update(o for o in equation.operands if isinstance(o, int))
    constants = range(len(tape.inputs) - len(tape.constants), len(tape.inputs))
    brought = [slot for slot in constants if slot in needed and slot not in inputs]
    slots = [*inputs, *brought, *(slot for equation in reversed(used) for slot in equation.results)]
    number = {slot: k for k, slot in enumerate(slots)}

    def again(operand: Operand) -> Operand:
        return number[operand] if isinstance(operand, int) else operand

    def moved(e: Equation) -> Equation:
        results = tuple(number[slot] for slot in e.results)
        return Equation(e.primitive, tuple(map(again, e.operands)), e.params, results, e.specs, e.source)

    specs = tape.specs
    return Tape(
        tuple(specs[slot] for slot in (*inputs, *brought)),
        tuple(map(moved, reversed(used))),
        tuple(map(again, outputs)),
        tuple(tape.constants[slot - constants.start] for slot in brought),
    )
