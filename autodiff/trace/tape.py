"""The frozen form of a tape: a program as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff.trace.errors import AutodiffError
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.tree import Structure


class TapeError(AutodiffError, ValueError):
    """A tape that does not hold together."""


class Literal:
    """A number that stands in a tape as itself.

    Literals are equal when type, dtype and bits are: 0.0 and -0.0 are two different ones, and so are 1 and True.
    """

    __slots__ = ("key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        array = np.asarray(value)
        self.key = (type(value), array.dtype, value if array.dtype.kind == "O" else array.tobytes())

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Literal) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return repr(self.value)


Operand = int | Literal


def strict(value: Any) -> Any:
    """A parameter as comparisons see it: like literals, 0.0 and -0.0 differ, and so do 1, 1.0 and True."""
    kind = type(value)
    if kind is tuple:
        return (tuple, *map(strict, value))
    if kind is bool or kind is int:
        return kind, value
    return Literal(value) if kind is float or kind is complex or isinstance(value, np.generic) else value


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """One operation: results = primitive(operands, params).

    Equations are equal when everything but the source is; numbers in parameters are compared like literals.

    Attributes:
        primitive: the operation.
        operands: slots of earlier values, or literals.
        params: the parameters as sorted pairs of name and hashable value.
        results: the slots that it fills.
        specs: the specs of the results.
        source: ``file.py:12``, the user's line.
    """

    primitive: Primitive
    operands: tuple[Operand, ...]
    params: tuple[tuple[str, Any], ...]
    results: tuple[int, ...]
    specs: tuple[Spec, ...]
    source: str = ""

    @property
    def identity(self) -> tuple[Any, ...]:
        """What comparisons compare."""
        params = tuple((name, strict(value)) for name, value in self.params)
        return self.primitive, self.operands, params, self.results, self.specs

    def __eq__(self, other: object) -> bool:
        return self.identity == other.identity if isinstance(other, Equation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity)


@dataclass(frozen=True, slots=True)
class Tape:
    """A program: immutable, comparable and hashable by structure.

    Slots are numbered: first the inputs, then the results of the equations in their order.

    Attributes:
        inputs: specs of the inputs: the leaves of the arguments, then the arrays that the function closed over.
        equations: the operations in the order in which they ran.
        outputs: slots or literals.
        constants: the closed-over arrays that fill the last inputs; they take no part in comparisons.
        arguments: structure of the arguments.
        results: structure of the results.
    """

    inputs: tuple[Spec, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[Operand, ...]
    constants: tuple[Any, ...] = field(default=(), compare=False)
    arguments: Structure | None = None
    results: Structure | None = None

    @property
    def specs(self) -> tuple[Spec, ...]:
        """The specs of all slots."""
        return (*self.inputs, *(one for equation in self.equations for one in equation.specs))

    @property
    def output_specs(self) -> tuple[Spec, ...]:
        return tuple(operand_specs(self.outputs, self.specs))


def check_tape(tape: Tape) -> None:
    """Derive every spec of a tape again and compare.

    Raises:
        TapeError: naming the equation, if a slot is used before it is filled or filled twice, or a spec differs.
    """
    known: list[Spec] = list(tape.inputs)
    for number, equation in enumerate(tape.equations):
        place = f"equation {number} ({equation.primitive.name})"
        for operand in equation.operands:
            if isinstance(operand, int) and not 0 <= operand < len(known):
                raise TapeError(f"{place} reads slot {operand}, which nothing has filled yet")
        if equation.results != tuple(range(len(known), len(known) + len(equation.results))):
            raise TapeError(f"{place} fills slots {equation.results}; the next free slot is {len(known)}")
        derived = derived_specs(equation, known)
        if derived != equation.specs:
            raise TapeError(f"{place} is written down as {equation.specs} but gives {derived}")
        for _, inner in inner_tapes(equation):
            check_tape(inner)
        known.extend(derived)
    for out in tape.outputs:
        if isinstance(out, int) and not 0 <= out < len(known):
            raise TapeError(f"output slot {out} is filled by nothing")
    closed = tuple(map(spec_of, tape.constants))
    if closed and tape.inputs[-len(closed) :] != closed:
        raise TapeError(f"the constants are {closed} but the last inputs are {tape.inputs[-len(closed) :]}")


def inner_tapes(equation: Equation) -> list[tuple[str, Tape]]:
    """The tapes among an equation's parameters, with their names: ``tape``, ``branches[0]``, ..."""
    found: list[tuple[str, Tape]] = []
    for name, value in equation.params:
        if isinstance(value, Tape):
            found.append((name, value))
        elif isinstance(value, tuple):
            found.extend((f"{name}[{k}]", part) for k, part in enumerate(value) if isinstance(part, Tape))
    return found


def derived_specs(equation: Equation, known: Sequence[Spec]) -> tuple[Spec, ...]:
    """The specs of an equation's results, from those of all slots before.

    Python's own operators make a Python number of Python numbers, where NumPy's functions make a NumPy scalar: an
    equation says by its specs which of the two ran.
    """
    operands = operand_specs(equation.operands, known)
    derived = equation.primitive.spec(*operands, **dict(equation.params))
    derived = derived if isinstance(derived, tuple) else (derived,)
    if all(operand.kind == "python" for operand in operands):
        return tuple(
            as_python(found) if written.kind == "python" else found
            for found, written in zip(derived, equation.specs, strict=True)
        )
    return derived


def as_python(number: Spec) -> Spec:
    """The spec of the Python number that corresponds to a NumPy scalar."""
    return spec((), number.dtype, "python") if number.kind == "scalar" else number


def output_specs(tape: Tape, inputs: Sequence[Spec]) -> tuple[Spec, ...]:
    """The specs of a tape's outputs for inputs of the given specs."""
    known = list(inputs)
    for equation in tape.equations:
        known.extend(derived_specs(equation, known))
    return tuple(operand_specs(tape.outputs, known))


def operand_specs(operands: Sequence[Operand], known: Sequence[Spec]) -> list[Spec]:
    """The specs of operands, given those of the slots."""
    return [known[operand] if isinstance(operand, int) else spec_of(operand.value) for operand in operands]
