"""A tape as text: one line an equation."""

from __future__ import annotations

from typing import Any

from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape


def tape_text(tape: Tape) -> str:
    """A tape as readable text: inputs, one line an equation with dtypes, shapes and the user's line, outputs."""
    inputs = ", ".join(f"{slot_name(k)}: {spec!r}" for k, spec in enumerate(tape.inputs))
    lines = [equation_text(equation) for equation in tape.equations]
    width = max(map(len, lines), default=0)
    body = [
        f"    {line:<{width}}  # {equation.source}".rstrip(" #") if not equation.source else f"    {line:<{width}}  # {equation.source}"
        for line, equation in zip(lines, tape.equations, strict=True)
    ]
    outputs = ", ".join(map(operand_text, tape.outputs))
    return "\n".join([f"tape({inputs}):", *body, f"    return {outputs}"])


def equation_text(equation: Equation) -> str:
    results = ", ".join(
        f"{slot_name(slot)}: {spec!r}" for slot, spec in zip(equation.results, equation.specs, strict=True)
    )
    operands = [operand_text(operand) for operand in equation.operands]
    params = [f"{name}={param_text(value)}" for name, value in equation.params]
    return f"{results} = {equation.primitive.name}({', '.join(operands + params)})"


def slot_name(slot: int) -> str:
    """a, b, ..., z, ba, bb, ...: the name of a slot."""
    name = ""
    while True:
        slot, letter = divmod(slot, 26)
        name = chr(ord("a") + letter) + name
        if slot == 0:
            return name


def operand_text(operand: Operand) -> str:
    return slot_name(operand) if isinstance(operand, int) else repr(operand)


def param_text(value: Any) -> str:
    if isinstance(value, Tape):
        return "{" + "; ".join(equation_text(equation) for equation in value.equations) + "}"
    return repr(value) if not isinstance(value, Spec) else str(value)
