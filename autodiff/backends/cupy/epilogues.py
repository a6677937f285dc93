"""Kernels of single numbers join the kernel whose totals they wait for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff.backends.cupy.kernels.call import device_kernel
from autodiff.backends.kernels.folds import reduces
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.trace.tape import Equation, Operand, Tape


def fuse_epilogues(tape: Tape) -> Tape:
    """The tape with kernels that compute more of their totals.

    A kernel of single numbers joins the latest kernel of a grid that it waits for if it needs nothing else that is
    computed after that one.
    """
    found = tape
    while True:
        joined = fuse_one_epilogue(found)
        if joined is None:
            return found
        found = joined


def fuse_one_epilogue(tape: Tape) -> Tape | None:
    """The tape with one kernel less; None if none joins another one."""
    maker = {slot: place for place, equation in enumerate(tape.equations) for slot in equation.results}
    for place, equation in enumerate(tape.equations):
        if not is_grid(equation) or dict(equation.params)["shape"]:
            continue
        places = [maker[o] for o in equation.operands if isinstance(o, int) and o in maker]
        latest = max(places, default=-1)
        if latest < 0 or not has_totals(tape.equations[latest], equation):
            continue
        return with_joined(tape, latest, place)
    return None


def is_grid(equation: Equation) -> bool:
    """Whether an operation is a kernel of a grid."""
    return equation.primitive is device_kernel and dict(equation.params)["kind"] == "grid"


def has_totals(first: Equation, second: Equation) -> bool:
    """Whether all that the second kernel needs of the first one is known when the first is done."""
    if not is_grid(first) or not dict(first.params)["shape"]:
        return False
    params = dict(first.params)
    tape: Tape = params["tape"]
    main = len(tape.equations) - params.get("epilogue", 0)
    late = {slot for equation in tape.equations[main:] for slot in equation.results}
    for equation in tape.equations[:main]:
        if reduces(equation) and not equation.specs[0].shape:
            late.update(equation.results)
    needed = [out for slot, out in zip(first.results, tape.outputs, strict=True) if slot in second.operands]
    return all(out in late for out in needed)


def with_joined(tape: Tape, first: int, second: int) -> Tape:
    """The tape in which one kernel also does what another one does, and gives the results of both."""
    one, other = tape.equations[first], tape.equations[second]
    read = {o for e in (*tape.equations[:second], *tape.equations[second + 1 :]) for o in e.operands}
    read |= set(tape.outputs)
    inner, operands, results = combined(one, other, {slot for slot in one.results if slot in read})
    before = dict(one.params)
    epilogue = before.get("epilogue", 0) + len(dict(other.params)["tape"].equations)
    params = (("kind", "grid"), ("shape", before["shape"]), ("epilogue", epilogue), ("tape", inner))
    whole = replace(one, operands=operands, params=params, results=results, specs=tuple(inner.output_specs))
    equations = (*tape.equations[:first], whole, *tape.equations[first + 1 : second], *tape.equations[second + 1 :])
    return drop_dead(renumbered(replace(tape, equations=equations)))


def combined(one: Equation, other: Equation, kept: set[int]) -> tuple[Tape, tuple[Operand, ...], tuple[int, ...]]:
    """The tape of two kernels, the second after the first, with its operands and results."""
    first, second = (dict(equation.params)["tape"] for equation in (one, other))
    extra = [o for o in dict.fromkeys(other.operands) if o not in one.results and o not in one.operands]
    operands = (*one.operands, *extra)
    shift = len(extra)

    def of_first(slot: Any) -> Any:
        return slot + shift if isinstance(slot, int) and slot >= len(first.inputs) else slot

    inputs = (*first.inputs, *(second.inputs[other.operands.index(o)] for o in extra))
    moved = [moved_by(of_first, equation) for equation in first.equations]
    free = len(inputs) + sum(len(equation.results) for equation in first.equations)
    made: dict[Operand, int] = dict(zip(one.results, map(of_first, first.outputs), strict=True))
    outer = {k: made[o] if o in made else operands.index(o) for k, o in enumerate(other.operands)}

    def of_second(slot: Any) -> Any:
        if not isinstance(slot, int):
            return slot
        return outer[slot] if slot < len(second.inputs) else slot - len(second.inputs) + free

    moved += [moved_by(of_second, equation) for equation in second.equations]
    before = [slot for slot in one.results if slot in kept]
    outputs = (*(made[slot] for slot in before), *map(of_second, second.outputs))
    return Tape(inputs, tuple(moved), outputs), operands, (*before, *other.results)


def moved_by(number: Any, equation: Equation) -> Equation:
    """An operation with other numbers for its slots."""
    operands, results = tuple(map(number, equation.operands)), tuple(map(number, equation.results))
    return replace(equation, operands=operands, results=results)


def renumbered(tape: Tape) -> Tape:
    """The tape with its slots numbered in the order of the operations."""
    number = {slot: slot for slot in range(len(tape.inputs))}
    for equation in tape.equations:
        for slot in equation.results:
            number[slot] = len(number)

    def again(slot: Any) -> Any:
        return number[slot] if isinstance(slot, int) else slot

    equations = tuple(moved_by(again, equation) for equation in tape.equations)
    return replace(tape, equations=equations, outputs=tuple(map(again, tape.outputs)))
