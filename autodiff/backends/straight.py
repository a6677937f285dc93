"""A tape as one straight-line Python function: no interpreter between the operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from autodiff.backends.kernels.call import KernelPrimitive
from autodiff.backends.passes.schedule import schedule
from autodiff.backends.reference import OPERATORS, last_uses
from autodiff.trace.formats.python import identifier
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, operand_specs

Run = Callable[..., tuple[Any, ...]]
FILE = "<autodiff tape>"


class Straight:
    """The function of a tape, and its text.

    Args:
        tape: a tape without constants.
        backend: of the bodies of its loops and branches.

    Attributes:
        tape: the tape.
        source: the text of the function: one line for each operation, and a ``del`` after the last use of a value.
        run: the function: takes the tape's inputs, plain arrays and numbers, and returns the tuple of its outputs.
    """

    __slots__ = ("run", "source", "tape")

    def __init__(self, tape: Tape, backend: str = "auto") -> None:
        scope: dict[str, Any] = {}
        self.tape = tape
        self.source = "\n".join(lines(tape, scope, backend)) + "\n"
        exec(compile(self.source, FILE, "exec"), scope)
        self.run: Run = scope["run"]

    def explained(self, error: Exception) -> Exception:
        """An error of one of the operations, which says which one, and where in the user's code it was recorded."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
            trace = trace.tb_next
        if trace is None:
            return error
        wanted = sum(" = " in line for line in self.source.splitlines()[: trace.tb_lineno])
        equation = self.tape.equations[wanted - 1]
        where = f" ({equation.source})" if equation.source else ""
        try:
            return type(error)(f"{equation.primitive.name}{where}: {error}")
        except Exception:  # an error class whose constructor wants something else: pass on the original
            return error


def lines(tape: Tape, scope: dict[str, Any], backend: str) -> list[str]:
    """The lines of the function; ``scope`` is filled with what they refer to."""
    written = [f"def run({', '.join(identifier(slot) for slot in range(len(tape.inputs)))}):"]
    known = list(tape.inputs)
    for equation, dead in zip(tape.equations, last_uses(tape), strict=True):
        left = targets(equation, operand_specs(equation.operands, known))
        written.append(f"    {left} = {call(equation, scope, backend)}")
        if dead:
            written.append(f"    del {', '.join(map(identifier, dead))}")
        known.extend(equation.specs)
    outs = "".join(f"{operand(out, scope)}, " for out in tape.outputs)
    return [*written, f"    return ({outs})"]


def compile_body(tape: Tape, backend: str) -> Run:
    """The tape of a loop's or branch's body as a function."""
    return Straight(schedule(tape, backend).tape, backend).run


def targets(equation: Equation, specs: Sequence[Spec]) -> str:
    """The names on the left of an assignment: one, or as many as the operation returns in a tuple."""
    names = [identifier(slot) for slot in equation.results]
    several = isinstance(equation.primitive.spec(*specs, **dict(equation.params)), tuple)
    return f"({', '.join(names)},)" if several else names[0]


def call(equation: Equation, scope: dict[str, Any], backend: str) -> str:
    """The call of an operation."""
    primitive = equation.primitive
    if isinstance(primitive, KernelPrimitive):
        function = partial(primitive.evaluate, **dict(equation.params))
        return f"{defined(scope, 'kernel', function)}({', '.join(operand(o, scope) for o in equation.operands)})"
    compiled = getattr(primitive, "compiled", None)
    if compiled is not None:  # loops and branches, which carry tapes
        function = compiled(partial(compile_body, backend=backend), **dict(equation.params))
        return f"{defined(scope, primitive.name, function)}({', '.join(operand(o, scope) for o in equation.operands)})"
    function = OPERATORS.get(primitive) if equation.specs and equation.specs[0].kind == "python" else None
    arguments = [operand(value, scope) for value in equation.operands]
    arguments += [f"{key}={constant(value, scope)}" for key, value in equation.params]
    return f"{defined(scope, primitive.name, function or primitive.evaluate)}({', '.join(arguments)})"


def operand(value: Operand, scope: dict[str, Any]) -> str:
    """A slot by its name, a number as it is."""
    return identifier(value) if isinstance(value, int) else constant(value.value, scope)


def constant(value: Any, scope: dict[str, Any]) -> str:
    """A number or parameter: written down where that says it exactly, by a name otherwise."""
    kind = type(value)
    plain = value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value))
    if plain or (kind is tuple and all(type(part) is int for part in value)):
        return repr(value)
    return defined(scope, "constant", value)


def defined(scope: dict[str, Any], stem: str, value: Any) -> str:
    """A name for an object, the same one each time."""
    for number in count(1):
        name = f"{stem}_{number}"
        if scope.setdefault(name, value) is value:
            return name
    raise AssertionError  # the count has no end
