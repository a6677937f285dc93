"""Random changes of tapes that stay programs in all but meaning: what somebody would write who knows the format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from autodiff.trace.primitive import PRIMITIVES
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Equation, Literal, Operand, Tape, operand_specs

DTYPES = [np.dtype(code) for code in ("f8", "f4", "f2", ">f8", "i8", "i4", "i1", "u1", "u8", "?", "c16", "c8", "g")]
LITERALS: list[Any] = [
    0, 1, -1, 2, 3, 5, -7, 64, 1000, 2**31, 2**63 - 1, -(2**63), 2**64, 2**100, 0.0, -0.0, 0.5, 2.0, 1e300, float("nan"),
    float("inf"), True, False, 1j, np.float32(1.5), np.float64(-2.0), np.int8(-3), np.uint8(200), np.int64(4),
    np.complex64(1j), np.float16(0.1), np.bool_(True),
]  # fmt: skip
INTEGERS = [0, 1, -1, 2, -2, 3, 4, 5, 7, 16, 100, 10**6, 2**31, 2**62]


def changed_tape(tape: Tape, random: Random, foreign: Callable[[], Tape]) -> Tape:
    """A tape with one to three changes, and with the specs that its operations then give.

    Args:
        tape: any tape.
        random: decides.
        foreign: gives other tapes, of which operations are taken.

    Raises:
        Exception: whatever a function of a primitive makes of what it does not take.
    """
    inputs, equations, outputs = list(tape.inputs), list(tape.equations), list(tape.outputs)
    for _ in range(random.choice([1, 1, 2, 3])):
        kind = random.choice(
            [
                "input",
                "operand",
                "operand",
                "parameter",
                "parameter",
                "parameter",
                "literal",
                "primitive",
                "insert",
                "insert",
                "delete",
                "output",
                "inner",
            ]
        )
        place = random.randrange(len(equations)) if equations else 0
        if kind == "input" and inputs:
            which = random.randrange(len(inputs))
            inputs[which] = changed_spec(inputs[which], random)
        elif kind == "output" and outputs:
            outputs[random.randrange(len(outputs))] = random.randrange(len(tape.specs))
        elif kind == "insert":
            others = [e for e in foreign().equations if len(e.results) == 1]
            if others:
                equations.insert(place, random.choice(others))
        elif not equations:
            continue
        elif kind == "delete":
            del equations[place]
        else:
            equations[place] = changed_equation(equations[place], kind, random, foreign)
    return settled(replace(tape, inputs=tuple(inputs), outputs=tuple(outputs)), equations, random)


def changed_spec(own: Spec, random: Random) -> Spec:
    """Another shape or dtype."""
    shape = list(own.shape)
    match random.choice(["length", "axis", "dtype", "kind"]):
        case "length" if shape:
            shape[random.randrange(len(shape))] = random.choice([0, 1, 2, 3, 5, 17])
        case "axis":
            shape.insert(random.randrange(len(shape) + 1), random.choice([1, 2, 3]))
        case "dtype":
            return spec(own.shape, random.choice(DTYPES))
        case _:
            return random.choice([spec((), float, "python"), spec((), own.dtype, "scalar"), spec((), int, "python")])
    return spec(tuple(shape), own.dtype)


def changed_equation(equation: Equation, kind: str, random: Random, foreign: Callable[[], Tape]) -> Equation:
    """Other operands, parameters, or another operation."""
    operands, params = list(equation.operands), dict(equation.params)
    if kind == "operand" and operands:
        operands[random.randrange(len(operands))] = random.randrange(20)
    elif kind == "literal" and operands:
        operands[random.randrange(len(operands))] = Literal(random.choice(LITERALS))
    elif kind == "parameter" and params:
        name = random.choice(list(params))
        params[name] = changed_value(params[name], random)
    elif kind == "inner":
        name = random.choice([name for name, value in params.items() if isinstance(value, (Tape, tuple))] or [""])
        if isinstance(params.get(name), Tape):
            params[name] = changed_tape(params[name], random, foreign)
    elif kind == "primitive":
        alike = [p for p in PRIMITIVES.values() if p.params is not None and set(p.params) >= set(params)]
        alike = [p for p in alike if len(p.operands) == len(operands) or p.variadic]
        return replace(equation, primitive=random.choice(alike or [equation.primitive]))
    return replace(equation, operands=tuple(operands), params=tuple(sorted(params.items())))


def changed_value(value: Any, random: Random) -> Any:
    """Another value of a parameter."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([value + 1, value - 1, -value, random.choice(INTEGERS)])
    if isinstance(value, tuple) and value:
        parts = list(value)
        place = random.randrange(len(parts))
        match random.choice(["part", "part", "part", "drop", "repeat", "swap"]):
            case "part":
                parts[place] = changed_value(parts[place], random)
            case "drop":
                del parts[place]
            case "repeat":
                parts.insert(place, parts[place])
            case _:
                random.shuffle(parts)
        return tuple(parts)
    if isinstance(value, np.dtype):
        return random.choice(DTYPES)
    if isinstance(value, str):
        return random.choice(["left", "right", "L", "U", "ij->ji", "i->", "ii->i", "ortho", value[::-1], value + "i"])
    return random.choice([None, 0, 1, 0.5, (), (0,), (1, 2), Ellipsis, True])


def settled(tape: Tape, equations: Sequence[Equation], random: Random) -> Tape:
    """The tape of these operations, renumbered; operands that are not there any more are others."""
    known = list(tape.inputs)
    found: list[Equation] = []

    def there(operand: Operand) -> Operand:
        if not isinstance(operand, int) or operand < len(known):
            return operand
        return random.randrange(len(known)) if known else Literal(1.0)

    for equation in equations:
        operands = tuple(map(there, equation.operands))
        specs = results_of(equation.primitive.spec(*operand_specs(operands, known), **dict(equation.params)), equation)
        results = tuple(range(len(known), len(known) + len(specs)))
        found.append(replace(equation, operands=operands, results=results, specs=specs))
        known.extend(specs)
    outputs = tuple(map(there, tape.outputs))
    closed = tape.constants if tape.inputs[len(tape.inputs) - len(tape.constants) :] else ()
    return Tape(tape.inputs, tuple(found), outputs, closed, tape.arguments, tape.results)


def results_of(specs: Any, equation: Equation) -> tuple[Spec, ...]:
    """The specs of results, with Python's numbers where they were."""
    found = specs if isinstance(specs, tuple) else (specs,)
    if len(found) > 64:
        raise ValueError("too many results")
    if len(found) == len(equation.specs) and all(s.kind == "python" for s in equation.specs):
        return tuple(spec((), s.dtype, "python") if s.kind == "scalar" else s for s in found)
    return found
