"""When loops and branches run as Python's own, and how their bodies are recorded where they cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from autodiff.trace.spec import Spec
from autodiff.trace.staging import capture_key, stage
from autodiff.trace.tape import Operand, Tape
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.transforms.call import values_are_known


class Recorded(NamedTuple):
    """A body that was recorded with specs.

    Attributes:
        tape: without constants; its inputs are the leaves of the arguments, then what the function closed over.
        outside: the values of the latter.
        results: the structure of what the function returned.
    """

    tape: Tape
    outside: list[Any]
    results: TreeDef


def known(value: Any) -> bool:
    """Whether the number or array behind a value is known."""
    return type(concrete(value)) is not Spec


def must_stage(leaves: Iterable[Any]) -> bool:
    """Whether the code that runs now has shapes only, so that Python cannot do the looping."""
    return not values_are_known() or not all(map(known, leaves))


def leaves_structure(*counts: int) -> TreeDef:
    """The structure of a tuple of lists of so many leaves."""
    return flatten(tuple([0.0] * count for count in counts))[1]


def record_body(fun: Callable[..., Any], specs: Sequence[Spec], structure: TreeDef) -> Recorded:
    """Record a function of trees."""
    staged = stage(fun, specs, structure)
    tape = replace(staged.tape, constants=(), arguments=None, results=None)
    assert staged.tape.results is not None
    return Recorded(tape, [*staged.captures, *staged.tape.constants], staged.tape.results)


def joined(bodies: Sequence[Recorded], count: int) -> tuple[list[Tape], list[Any]]:
    """The tapes of several bodies with the same inputs: ``count`` arguments, then what any of them closed over."""
    places: dict[Any, int] = {}
    outside: list[Any] = []
    inputs = list(bodies[0].tape.inputs[:count])
    for body in bodies:
        for value, spec in zip(body.outside, body.tape.inputs[count:], strict=True):
            if places.setdefault(identity(value), len(inputs)) == len(inputs):
                outside.append(value)
                inputs.append(spec)
    tapes = []
    for body in bodies:
        own = [*range(count), *(places[identity(value)] for value in body.outside)]
        tapes.append(with_inputs(body.tape, own, tuple(inputs)))
    return tapes, outside


def identity(value: Any) -> Any:
    """What tells values from outside apart."""
    return capture_key(value) if isinstance(value, Traced) else id(value)


def with_inputs(tape: Tape, places: Sequence[int], inputs: tuple[Spec, ...]) -> Tape:
    """The tape with more inputs, among which its own have the given places."""
    shift = len(inputs) - len(places)

    def placed(operand: Operand) -> Operand:
        if not isinstance(operand, int):
            return operand
        return places[operand] if operand < len(places) else operand + shift

    equations = tuple(
        replace(e, operands=tuple(map(placed, e.operands)), results=tuple(slot + shift for slot in e.results))
        for e in tape.equations
    )
    return Tape(inputs, equations, tuple(map(placed, tape.outputs)))
