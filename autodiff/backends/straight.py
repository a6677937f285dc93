"""A tape as one straight-line Python function: no interpreter between the operations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from autodiff.backends.choice import HOST, Backend
from autodiff.backends.into import INTO
from autodiff.backends.kernels.primitive import KernelPrimitive
from autodiff.backends.kernels.rows.call import rows
from autodiff.backends.kernels.rows.memory import row_memory
from autodiff.backends.passes.memory.placement import Memory, plan_memory
from autodiff.backends.reference import last_uses
from autodiff.backends.workspace import Workspace, checked_out, room_name
from autodiff.trace.formats.text import identifier
from autodiff.trace.formats.written import name_source
from autodiff.trace.memory.recycling import maker
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, operand_specs

Run = Callable[..., tuple[Any, ...]]
FILE = "<autodiff tape>"


class Scope(dict[str, Any]):
    """What the text of a function refers to, by its names there."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[tuple[str, int], str] = {}
        self.numbers: Counter[str] = Counter()

    def name(self, stem: str, value: Any) -> str:
        """The name of an object, which begins in a given way."""
        found = self.names.get((stem, id(value)))
        if found is None:
            self.numbers[stem] += 1
            found = self.names[stem, id(value)] = f"{stem}_{self.numbers[stem]}"
            self[found] = value
        return found


class Straight:
    """The function of a tape, and its text.

    Args:
        tape: a tape without constants.
        backend: of the bodies of its loops and branches.
        donated: inputs whose memory outputs may take.
        planned: whether memory is planned; otherwise every operation makes its own.

    Attributes:
        tape: the tape.
        source: the text of the function: one line for each operation, and a ``del`` after the last use of a value. It
            takes the arrays that calls share after the inputs (:mod:`~autodiff.backends.workspace`).
        memory: where arrays lie.
        run: the function: takes the tape's inputs, plain arrays and numbers, and returns the tuple of its outputs.
    """

    __slots__ = ("backend", "equations", "memory", "run", "source", "tape", "unplanned", "workspace")

    def __init__(self, tape: Tape, backend: Backend = HOST, donated: Sequence[int] = (), planned: bool = True) -> None:
        scope = Scope()
        self.tape, self.backend = tape, backend
        self.memory = plan_memory(tape, donated) if planned else Memory(tape)
        self.workspace = Workspace(self.memory)
        self.unplanned: Straight | None = None
        self.equations: dict[int, Equation] = {}
        self.source = "\n".join(self.lines(scope)) + "\n"
        self.run: Run = self.entered(self.executed(scope))

    def executed(self, scope: Scope) -> Run:
        """The function that the text defines."""
        exec(compile(self.source, FILE, "exec"), scope)
        run: Run = scope["run"]
        return run

    def entered(self, steps: Run) -> Run:
        """The function whose text is ``source`` with a workspace for each call."""
        memory = self.memory
        if not (self.workspace.names or memory.made or memory.reused):
            return steps
        arguments = [(identifier(slot), own) for slot, own in enumerate(self.tape.inputs)]
        return checked_out(steps, self.plain, arguments, self.workspace)

    def plain(self, *values: Any) -> tuple[Any, ...]:
        """The outputs where nothing is written to given memory."""
        if self.unplanned is None:
            self.unplanned = Straight(self.tape, self.backend, planned=False)
        return self.unplanned.run(*values)

    def explained(self, error: Exception) -> Exception:
        """An error of one of the operations, which says which one, and where in the user's code it was recorded."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
            trace = trace.tb_next
        if trace is None or getattr(error, "names_its_place", False):
            return error
        equation = self.equations[trace.tb_lineno]
        where = f" ({equation.source})" if equation.source else ""
        try:
            return type(error)(f"{equation.primitive.name}{where}: {error}")
        except Exception:  # an error class whose constructor wants something else: pass on the original
            return error

    def lines(self, scope: Scope) -> list[str]:
        """The lines of the function; ``scope`` is filled with what they refer to."""
        tape, workspace = self.tape, self.workspace
        inputs = [identifier(slot) for slot in range(len(tape.inputs))]
        written = [f"def run({', '.join((*inputs, *workspace.names))}):"]
        kept = {*self.memory.places, *workspace.views, *self.memory.reused.values(), *self.held()}
        known = list(tape.inputs)
        for number, (equation, dead) in enumerate(zip(tape.equations, last_uses(tape), strict=True)):
            if not (equation.results and equation.results[0] in workspace.views):
                left = targets(equation, operand_specs(equation.operands, known))
                written.append(f"    {left} = {self.call(equation, number, scope)}")
                self.equations[len(written)] = equation
            gone = [slot for slot in dead if slot not in kept]
            if gone:
                written.append(f"    del {', '.join(map(identifier, gone))}")
            known.extend(equation.specs)
        outs = "".join(f"{operand(out, scope)}, " for out in tape.outputs)
        return [*written, f"    return ({outs})"]

    def held(self) -> Collection[int]:
        """Values that have names to the end, whoever reads them last."""
        return ()

    def call(self, equation: Equation, number: int, scope: Scope) -> str:
        """The call of an operation, the one of some number."""
        return call(equation, number, self.memory, scope, self.backend)


def compile_body(tape: Tape, backend: Backend) -> Run:
    """The tape of a loop's or branch's body as a function."""
    return Straight(backend.schedule(tape).tape, backend).run


def targets(equation: Equation, specs: Sequence[Spec]) -> str:
    """The names on the left of an assignment: one, or as many as the operation returns in a tuple."""
    names = [identifier(slot) for slot in equation.results]
    several = isinstance(equation.primitive.spec(*specs, **dict(equation.params)), tuple)
    return f"({', '.join(names)},)" if several else names[0]


def call(equation: Equation, number: int, memory: Memory, scope: Scope, backend: Backend) -> str:
    """The call of an operation, the one of some number."""
    primitive, params = equation.primitive, dict(equation.params)
    operands = [operand(value, scope) for value in equation.operands]
    if primitive is rows:
        return call_of_rows(equation, number, memory, scope, operands)
    if isinstance(primitive, KernelPrimitive):
        return f"{defined(scope, 'kernel', primitive.made(**params))}({', '.join(operands)})"
    compiled = getattr(primitive, "compiled", None)
    if compiled is not None:  # loops and branches, which carry tapes
        loop = compiled(partial(compile_body, backend=backend), **params)
        return f"{defined(scope, primitive.name, loop)}({', '.join(operands)})"
    function = primitive.operator if equation.specs and equation.specs[0].kind == "python" else None
    function = function or primitive.evaluate
    arguments = [*operands, *(f"{name_source(key)}={constant(value, scope)}" for key, value in equation.params)]
    out = given(equation.results[0], memory, scope) if len(equation.results) == 1 else ""
    if out:
        arguments.append(f"out={out}")
        into = INTO.get(primitive.name)
        function = into.run if into is not None else function
    return f"{defined(scope, primitive.name, function)}({', '.join(arguments)})"


def call_of_rows(equation: Equation, number: int, memory: Memory, scope: Scope, operands: Sequence[str]) -> str:
    """The call of a kernel of rows with the arrays that it fills, and those that it works in."""
    params = dict(equation.params)
    outputs = params["tape"].outputs
    shared = tuple((outputs[result], position) for result, position in memory.shared.get(number, ()))
    needed = row_memory(params["tape"], params["shape"], shared)
    kernel = defined(scope, "kernel", rows.made(**params, shared=shared) if shared else rows.made(**params))
    arguments = list(operands)
    for slot, own in needed.results.items():
        result = equation.results[outputs.index(slot)]
        arguments.append(given(result, memory, scope) or f"{new(result, own, scope)}()")
    planned = number in memory.working or number in memory.status
    for k, own in enumerate(needed.working):
        arguments.append(f"work_{number}_{k}" if planned else f"{defined(scope, 'work', maker(own))}()")
    for own in needed.status:
        zeros = partial(np.zeros, own.shape, own.dtype)
        arguments.append(f"status_{number}" if planned else f"{defined(scope, 'status', zeros)}()")
    return f"{kernel}({', '.join(arguments)})"


def given(slot: int, memory: Memory, scope: Scope) -> str:
    """The memory that a result is written to; empty where the operation makes an array."""
    if slot in memory.places:
        return room_name(slot)
    if slot in memory.reused:
        return identifier(memory.reused[slot])
    return f"{new(slot, memory.tape.specs[slot], scope)}()" if slot in memory.made else ""


def new(slot: int, own: Spec, scope: Scope) -> str:
    """The name of a function that gives a new array."""
    name = f"new_{identifier(slot)}"
    scope[name] = maker(own)
    return name


def operand(value: Operand, scope: Scope) -> str:
    """A slot by its name, a number as it is."""
    return identifier(value) if isinstance(value, int) else constant(value.value, scope)


def constant(value: Any, scope: Scope) -> str:
    """A number or parameter: written down where that says it exactly, by a name otherwise."""
    kind = type(value)
    plain = value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value))
    if plain or (kind is tuple and all(type(part) is int for part in value)):
        return repr(value)
    return defined(scope, "constant", value)


def defined(scope: Scope, stem: str, value: Any) -> str:
    """A name for an object, the same one each time."""
    return scope.name(stem if stem.isidentifier() else "operation", value)
