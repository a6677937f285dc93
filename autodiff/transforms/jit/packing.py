"""Residuals of the steps of a loop, packed into stacks.

A Python loop that ``jit`` has recorded leaves residuals of each of its steps: thousands of arrays, which the forward
pass would return one by one and the backward pass take. Where compilers find the loop again, it returns one stack for
each residual of a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autodiff.ops.index import slice_of
from autodiff.ops.join import WHOLE, stack
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape

Place = tuple[int, int | None]
"""Which output a residual is, and which row of it; None for all of it."""


def packed(tape: Tape, outputs: int) -> tuple[Tape, list[Place]]:
    """A forward pass with stacks in the places of residuals of the steps of loops.

    Args:
        tape: the forward pass.
        outputs: how many outputs come before the residuals.

    Returns:
        the forward pass, and for each residual where it is among what comes after the outputs.
    """
    count = len(tape.outputs) - outputs
    groups = rows_of_stacks(tape, outputs)
    if not groups:
        return tape, [(k, None) for k in range(count)]
    within = {k for group in groups for k in group}
    single = [k for k in range(count) if k not in within]
    places: dict[int, Place] = {k: (n, None) for n, k in enumerate(single)}
    equations, free = list(tape.equations), len(tape.specs)
    stacks: list[int] = []
    for group in groups:
        operands = tuple(tape.outputs[outputs + k] for k in group)
        row = tape.output_specs[outputs + group[0]]
        params = (("axis", -row.ndim - 1),)
        own = stack.spec(*[row] * len(group), axis=-row.ndim - 1)
        equations.append(Equation(stack, operands, params, (free,), (own,)))
        places.update((k, (len(single) + len(stacks), n)) for n, k in enumerate(group))
        stacks.append(free)
        free += 1
    outs = (*tape.outputs[:outputs], *(tape.outputs[outputs + k] for k in single), *stacks)
    return replace(tape, equations=tuple(equations), outputs=outs), [places[k] for k in range(count)]


def rows_of_stacks(tape: Tape, outputs: int) -> list[list[int]]:
    """The residuals that are rows of one stack, in its order, for each stack that compilers find."""
    from autodiff.backends.passes.rolling.roll import is_long, rolled  # noqa: PLC0415 - the compiler is loaded when something is compiled

    if not is_long(tape):
        return []
    loops = rolled(tape)
    makers: dict[Operand, Equation] = {slot: each for each in loops.equations for slot in each.results}
    rows: dict[Operand, list[tuple[int, int]]] = {}
    for k, out in enumerate(loops.outputs[outputs:]):
        row = row_of(makers, out) if tape.output_specs[outputs + k].kind != "python" else None
        if row is not None:
            rows.setdefault(row[0], []).append((row[1], k))
    return [[k for _, k in sorted(found)] for found in rows.values() if len(found) > 1]


def row_of(makers: Mapping[Operand, Equation], out: Operand) -> tuple[Operand, int] | None:
    """The stack of a loop and the place in it, if a value is a row of one."""
    made = makers.get(out)
    if made is not None and made.primitive is slice_of and dict(made.params)["key"] == (...,):
        made = makers.get(made.operands[0])  # a number as an array without axes
    if made is None or made.primitive is not slice_of:
        return None
    (whole,) = made.operands
    loop = makers.get(whole)
    first, *rest = dict(made.params)["key"] or (None,)
    if type(first) is not int or any(part != WHOLE for part in rest) or len(rest) != made.specs[0].ndim:
        return None
    return (whole, first) if loop is not None and loop.primitive.name == "scan" else None


def unpacked(tape: Tape, places: Sequence[Place], specs: Sequence[Spec]) -> tuple[Tape, tuple[int, ...]]:
    """A backward pass that takes stacks, and which values it takes.

    Args:
        tape: the pass that takes each value for itself, as its first inputs.
        places: where these are among the inputs of the forward pass and what that returns after the outputs.
        specs: of all of these.
    """
    taken = tuple(dict.fromkeys(k for k, _ in places))
    if all(row is None for _, row in places):
        return tape, tuple(k for k, _ in places)
    at = {k: n for n, k in enumerate(taken)}
    shift = len(taken) - len(places)  # what comes after the residuals moves by so much
    inputs = (*(specs[k] for k in taken), *tape.inputs[len(places) :])
    number: dict[int, int] = {slot: slot + shift for slot in range(len(places), len(tape.inputs))}
    equations: list[Equation] = []
    free = len(inputs)
    for slot, (k, row) in enumerate(places):
        number[slot] = at[k]
        if row is not None:
            own = tape.inputs[slot]
            key = (row, *(WHOLE,) * own.ndim) if own.ndim or own.kind == "scalar" else (row, ...)
            params = (("key", key),)
            equations.append(Equation(slice_of, (at[k],), params, (free,), (own,)))
            number[slot] = free
            free += 1
    for each in tape.equations:
        operands = tuple(number[o] if isinstance(o, int) else o for o in each.operands)
        results = tuple(range(free, free + len(each.results)))
        free += len(results)
        number.update(zip(each.results, results, strict=True))
        equations.append(each.moved(operands, results))
    outs = tuple(number[out] if isinstance(out, int) else out for out in tape.outputs)
    return replace(tape, inputs=inputs, equations=tuple(equations), outputs=outs), taken
