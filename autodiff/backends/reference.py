"""Running a tape operation by operation, on whatever arrays it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.trace.spec import spec_of
from autodiff.trace.tape import Equation, Tape
from autodiff.trace.values.arrays import first_on_gpu, placed, placed_constants


def run_tape(tape: Tape, inputs: Sequence[Any], dead: Sequence[Sequence[int]] | None = None) -> list[Any]:
    """The outputs of a tape for the given inputs (without the constants, which the tape brings).

    The inputs may be plain arrays of any kind that speaks NumPy's protocols, or traced values. Values are dropped
    after their last use: loops that run one tape many times find :func:`last_uses` once, and pass them as ``dead``.
    """
    slots: list[Any] = [*inputs, *placed_constants(tape.constants, inputs)]
    beside = first_on_gpu(inputs)
    if len(slots) != len(tape.inputs):
        wanted = len(tape.inputs) - len(tape.constants)
        raise ValueError(f"the tape has {wanted} inputs, {len(inputs)} were given; pass as many as it has")
    slots.extend([None] * sum(len(equation.results) for equation in tape.equations))
    for equation, done in zip(tape.equations, last_uses(tape) if dead is None else dead, strict=True):
        operands = [slots[o] if isinstance(o, int) else o.value for o in equation.operands]
        out = run_equation(equation, operands)
        if beside is not None and isinstance(out, np.ndarray):  # made of numbers alone
            out = placed(out, beside)
        if len(equation.results) == 1 and not isinstance(out, tuple):
            slots[equation.results[0]] = out
        else:
            for slot, part in zip(equation.results, out, strict=True):
                slots[slot] = part
        del operands, out
        for slot in done:
            slots[slot] = None
    return [slots[out] if isinstance(out, int) else out.value for out in tape.outputs]


def run_equation(equation: Equation, operands: Sequence[Any]) -> Any:
    """The results of one operation.

    Where Python's own operator met nothing but Python numbers it runs again: what it returns gives way to other dtypes,
    which NumPy's function of that name would not.
    """
    if equation.specs[0].kind == "python" and all(spec_of(operand).kind == "python" for operand in operands):
        operation = equation.primitive.operator or equation.primitive
        return operation(*operands, **dict(equation.params))
    return equation.primitive(*operands, **dict(equation.params))


def last_uses(tape: Tape) -> list[list[int]]:
    """For each equation the slots that nothing reads after it."""
    seen = {out for out in tape.outputs if isinstance(out, int)}
    dead: list[list[int]] = []
    for equation in reversed(tape.equations):
        touched = {o for o in equation.operands if isinstance(o, int)} | set(equation.results)
        dead.append(sorted(touched - seen))
        seen |= touched
    return dead[::-1]
