"""The frozen form of a tape: a program as a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff.trace.application import check_application
from autodiff.trace.errors import AutodiffError
from autodiff.trace.parameters import shortened
from autodiff.trace.primitive import ORDERED, Primitive
from autodiff.trace.spec import Spec, is_number, sound_spec, spec, spec_of
from autodiff.trace.trees.tree import TreeDef


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
    if kind is frozenset:
        return frozenset, frozenset(map(strict, value))
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

    def moved(self, operands: tuple[Operand, ...], results: tuple[int, ...]) -> Equation:
        """The same operation with other slots. Passes do this by thousands, for which ``replace`` is slow."""
        return Equation(self.primitive, operands, self.params, results, self.specs, self.source)


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

    >>> from autodiff import make_tape
    >>> tape = make_tape(lambda x: x * x)(3.0)
    >>> len(tape.equations), tape == make_tape(lambda y: y * y)(5.0)
    (1, True)
    """

    inputs: tuple[Spec, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[Operand, ...]
    constants: tuple[Any, ...] = field(default=(), compare=False)
    arguments: TreeDef | None = None
    results: TreeDef | None = None
    _specs: tuple[Spec, ...] | None = field(default=None, init=False, repr=False, compare=False)
    _output_specs: tuple[Spec, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def specs(self) -> tuple[Spec, ...]:
        """The specs of all slots."""
        found = self._specs
        if found is None:  # asked for again and again, so put together once
            found = (*self.inputs, *(one for equation in self.equations for one in equation.specs))
            object.__setattr__(self, "_specs", found)
        return found

    @property
    def output_specs(self) -> tuple[Spec, ...]:
        """The specs of the outputs."""
        found = self._output_specs
        if found is None:
            found = tuple(operand_specs(self.outputs, self.specs))
            object.__setattr__(self, "_output_specs", found)
        return found


def check_tape(tape: Tape) -> None:
    """Check that a tape is a program: operations get operands and parameters that they take, and give what is written.

    Names, types and ranges of parameters are those that the primitives declare, and every spec is derived again.

    Raises:
        TapeError: naming the equation, if a slot is used before it is filled or filled twice, a parameter is unknown or
            out of its range, operands do not go together, or a spec differs.

    >>> import autodiff
    >>> tape = autodiff.make_tape(lambda x: 2.0 * x)(1.0)
    >>> autodiff.check_tape(tape)
    >>> autodiff.check_tape(autodiff.Tape(tape.inputs, (), tape.outputs))
    Traceback (most recent call last):
        ...
    autodiff.trace.tape.TapeError: output slot 1 is filled by nothing
    """
    tapes: list[tuple[str, Tape]] = [("", tape)]
    seen = {id(tape)}
    for place, found in tapes:  # the list grows: programs are nested as deep as they like
        for number, equation in enumerate(found.equations):
            for name, inner in inner_tapes(equation):
                if id(inner) not in seen:
                    seen.add(id(inner))
                    tapes.append((f"{place}in the {name} of {place_of(number, equation)}: ", inner))
    for place, found in reversed(tapes):  # inner tapes first: others rely on what they say
        try:
            check_level(found)
        except TapeError as error:
            raise TapeError(f"{place}{error}") from error.__cause__


def check_level(tape: Tape) -> None:
    """Check a tape, apart from the tapes that its operations carry."""
    for own in tape.inputs:
        if not sound_spec(own):
            raise TapeError(f"there are no values of the spec {shown(own)} of an input")
    known: list[Spec] = list(tape.inputs)
    for number, equation in enumerate(tape.equations):
        check_equation(equation, known, place_of(number, equation))
        known.extend(equation.specs)
    for out in tape.outputs:
        if isinstance(out, int) and not 0 <= out < len(known):
            raise TapeError(f"output slot {out} is filled by nothing")
        if not isinstance(out, int) and not sound_literal(out):
            raise TapeError(f"the output {shortened(out)} is neither a slot nor a number")
    closed = tuple(map(spec_of, tape.constants))
    if closed and tape.inputs[-len(closed) :] != closed:
        raise TapeError(f"the constants are {closed} but the last inputs are {tape.inputs[-len(closed) :]}")
    for what, structure, count in (
        ("arguments", tape.arguments, len(tape.inputs) - len(closed)),
        ("results", tape.results, len(tape.outputs)),
    ):
        if structure is not None and structure.count != count:
            raise TapeError(f"the tape has {count} {what}, but their structure has places for {structure.count}")


def check_equation(equation: Equation, known: Sequence[Spec], place: str) -> None:
    """Check an operation whose operands have these specs.

    Args:
        equation: the operation.
        known: the specs of all slots before.
        place: how errors name the operation.
    """
    for operand in equation.operands:
        if not isinstance(operand, int):
            if not sound_literal(operand):
                raise TapeError(f"{place} has the operand {shortened(operand)}, which is neither a slot nor a number")
            if not representable(operand, equation, known):
                raise TapeError(f"{place} has the operand {shortened(operand.value)}, which no array has room for")
        elif not 0 <= operand < len(known):
            raise TapeError(f"{place} reads slot {operand}, which nothing has filled yet")
    if equation.results != tuple(range(len(known), len(known) + len(equation.specs))) or not equation.results:
        raise TapeError(f"{place} fills slots {equation.results}; the next free slot is {len(known)}")
    operands = operand_specs(equation.operands, known)
    try:
        check_application(equation.primitive, operands, dict(equation.params))
        derived = derived_specs(equation, known)
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, MemoryError) as error:
        raise TapeError(f"{place}: {error}") from error
    if derived != equation.specs:
        raise TapeError(f"{place} is written down as {equation.specs} but gives {derived}")
    if not all(map(sound_spec, derived)):
        raise TapeError(f"{place} gives {', '.join(map(shown, derived))}, of which there are no values")


def representable(literal: Literal, equation: Equation, known: Sequence[Spec]) -> bool:
    """Whether a number fits into 64 bits, or meets floating-point numbers element by element: then it becomes one."""
    value = literal.value
    if type(value) is not int or -(2**63) <= value < 2**63:
        return True
    slots = [operand for operand in equation.operands if isinstance(operand, int) and 0 <= operand < len(known)]
    return equation.primitive.family == "elementwise" and any(known[slot].inexact for slot in slots)


def place_of(number: int, equation: Equation) -> str:
    """How errors name an operation."""
    return f"equation {number} ({equation.primitive.name})"


def shown(own: Spec) -> str:
    """A spec that may be none."""
    return f"{own.kind} {own.dtype}{list(own.shape)}"


def sound_literal(literal: Operand) -> bool:
    """Whether it is a number that stands in a tape."""
    value = literal.value if isinstance(literal, Literal) else None
    return type(value) in (bool, int, float, complex) or (isinstance(value, np.generic) and is_number(value.dtype))


def inner_tapes(equation: Equation) -> list[tuple[str, Tape]]:
    """The tapes among an equation's parameters, with their names: ``tape``, ``branches[0]``, ..."""
    found: list[tuple[str, Tape]] = []
    for name, value in equation.params:
        if isinstance(value, Tape):
            found.append((name, value))
        elif isinstance(value, tuple):
            found.extend((f"{name}[{k}]", part) for k, part in enumerate(value) if isinstance(part, Tape))
    return found


def ordered(equation: Equation) -> bool:
    """Whether an operation, or one of a tape that it carries, is done in its turn: never left out, merged or moved."""
    if not ORDERED:
        return False
    return equation.primitive.ordered or any(in_turn(tape) for _, tape in inner_tapes(equation))


def in_turn(tape: Tape) -> bool:
    """Whether some operation of a tape is done in its turn."""
    return bool(ORDERED) and any(map(ordered, tape.equations))


def carries_turn(params: Iterable[Any]) -> bool:
    """Whether one of the tapes among parameters does something in its turn."""
    return bool(ORDERED) and any(
        isinstance(one, Tape) and in_turn(one)
        for value in params
        for one in (value if isinstance(value, tuple) else (value,))
    )


def derived_specs(equation: Equation, known: Sequence[Spec]) -> tuple[Spec, ...]:
    """The specs of an equation's results, from those of all slots before.

    Python's own operators make a Python number of Python numbers, where NumPy's functions make a NumPy scalar: an
    equation says by its specs which of the two ran.
    """
    operands = operand_specs(equation.operands, known)
    derived = equation.primitive.spec(*operands, **dict(equation.params))
    derived = derived if isinstance(derived, tuple) else (derived,)
    if equation.primitive.operator is not None and all(operand.kind == "python" for operand in operands):
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
