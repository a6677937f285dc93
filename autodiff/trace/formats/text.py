"""A tape as text: one line an equation."""

from __future__ import annotations

import keyword
from typing import Any

import numpy as np

from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, inner_tapes

WIDE = 100
"""Headers longer than this are written with one input a line."""


def tape_text(tape: Tape) -> str:
    """A tape as readable text: inputs, one line an equation with dtypes, shapes and the user's line, outputs.

    The tapes that an operation carries stand indented below it.
    """
    return "\n".join(tape_lines("tape", tape, ""))


def tape_lines(label: str, tape: Tape, indent: str) -> list[str]:
    """The lines of a tape, all of them indented."""
    lines = header_lines(label, tape, indent)
    texts = [equation_text(equation) for equation in tape.equations]
    width = max(map(len, texts), default=0)
    for text, equation in zip(texts, tape.equations, strict=True):
        lines.append(f"{indent}    {text:<{width}}  # {equation.source}" if equation.source else f"{indent}    {text}")
        for name, inner in inner_tapes(equation):
            lines.extend(tape_lines(name, inner, indent + " " * 8))
    lines.append(f"{indent}    return {', '.join(map(operand_text, tape.outputs))}".rstrip())
    return lines


def header_lines(label: str, tape: Tape, indent: str) -> list[str]:
    """The line with the inputs, or one line for each."""
    inputs = [f"{slot_name(k)}: {spec!r}" for k, spec in enumerate(tape.inputs)]
    line = f"{indent}{label}({', '.join(inputs)}):"
    if len(line) <= WIDE:
        return [line]
    return [f"{indent}{label}(", *(f"{indent}    {text}," for text in inputs), f"{indent}):"]


def equation_text(equation: Equation) -> str:
    """``c: float64[3] = multiply(a, b)``: tapes among the parameters are left out."""
    results = ", ".join(
        f"{slot_name(slot)}: {spec!r}" for slot, spec in zip(equation.results, equation.specs, strict=True)
    )
    operands = [operand_text(operand) for operand in equation.operands]
    hidden = {name.partition("[")[0] for name, _ in inner_tapes(equation)}
    params = [f"{name}={param_text(value)}" for name, value in equation.params if name not in hidden]
    return f"{results} = {equation.primitive.name}({', '.join(operands + params)})"


def slot_name(slot: int) -> str:
    """a, b, ..., z, ba, bb, ...: the name of a slot."""
    name = ""
    while True:
        slot, letter = divmod(slot, 26)
        name = chr(ord("a") + letter) + name
        if slot == 0:
            return name


def identifier(slot: int) -> str:
    """The name of a slot, where that is no word of Python's."""
    name = slot_name(slot)
    return f"{name}_" if keyword.iskeyword(name) or name == "np" else name


def operand_text(operand: Operand) -> str:
    """An operand: the name of a slot, or a number."""
    return slot_name(operand) if isinstance(operand, int) else repr(operand)


def param_text(value: Any) -> str:
    """A parameter as text that is the same in every run: no addresses of objects."""
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, tuple):
        parts = [param_text(part) for part in value]
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    if isinstance(value, (Spec, str)) or not callable(value):
        return "..." if value is Ellipsis else repr(value)
    return getattr(value, "__name__", type(value).__name__)


Tape.__str__ = tape_text  # type: ignore[assignment] # what a tape prints as belongs to this file, not to the data
