"""Calls of compiled programs on a tape, replaced by the operations of those programs.

A program's derivative is that of its operations, so nothing is lost; the code that computes it cannot be saved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Operand, Tape

PROGRAM = "jit"
"""What calls of compiled programs are called."""


def opened(tape: Tape) -> Tape:
    """The tape with the operations of the programs that it calls, in the tapes that its operations carry, too."""
    if not calls_programs(tape):
        return tape
    specs: list[Spec] = list(tape.inputs)
    equations: list[Equation] = []
    outputs = copied(tape, list(range(len(tape.inputs))), specs, equations, "")
    return replace(tape, equations=tuple(equations), outputs=tuple(outputs))


def copied(
    tape: Tape, values: list[Operand], specs: list[Spec], equations: list[Equation], source: str
) -> list[Operand]:
    """A tape's operations added to others.

    Args:
        tape: the tape.
        values: what its inputs are there.
        specs: of all slots so far.
        equations: so far.
        source: the line of its call.

    Returns:
        what its outputs are there.
    """
    for equation in tape.equations:
        operands = tuple(values[o] if isinstance(o, int) else o for o in equation.operands)
        params = dict(equation.params)
        program = params.get("tape")
        if equation.primitive.name == PROGRAM and isinstance(program, Tape):
            given = tuple(specs[o] if isinstance(o, int) else spec_of(o.value) for o in operands)
            if given == program.inputs and not program.constants:
                values.extend(copied(program, list(operands), specs, equations, equation.source))
                continue
        results = tuple(range(len(specs), len(specs) + len(equation.specs)))
        specs.extend(equation.specs)
        values.extend(results)
        params = {name: with_opened(value) for name, value in params.items()}
        equations.append(
            replace(
                equation,
                operands=operands,
                params=tuple(sorted(params.items())),
                results=results,
                source=equation.source or source,
            )
        )
    return [values[out] if isinstance(out, int) else out for out in tape.outputs]


def with_opened(value: Any) -> Any:
    """A parameter with its tapes opened."""
    if isinstance(value, Tape):
        return opened(value)
    if isinstance(value, tuple) and any(isinstance(part, Tape) for part in value):
        return tuple(map(with_opened, value))
    return value


def calls_programs(tape: Tape) -> bool:
    """Whether a tape calls a program, or one of its operations carries a tape that does."""
    return any(
        equation.primitive.name == PROGRAM or any(map(holds_calls, (value for _, value in equation.params)))
        for equation in tape.equations
    )


def holds_calls(value: Any) -> bool:
    """Whether a parameter is, or holds, a tape that calls a program."""
    if isinstance(value, Tape):
        return calls_programs(value)
    return isinstance(value, tuple) and any(isinstance(part, Tape) and calls_programs(part) for part in value)
