"""Where the elements of a value are read, through views and broadcasts: an index for each of its axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autodiff.backends.kernels.forms import PASSING, VIEWS, Shape, Unfit, steps
from autodiff.ops.index import Key, consumed
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation

MOVING = VIEWS | PASSING
"""Operations that only say where elements are read."""


@dataclass(frozen=True)
class Index:
    """A place along an axis: a variable of a kernel, times a step, from a start; the start alone without a variable."""

    variable: str = ""
    step: int = 1
    start: int = 0


Place = tuple[Index, ...]
FIRST = Index()


def at(shape: Shape, variables: Sequence[str]) -> Place:
    """The element that one variable for each axis names; axes of one element need none."""
    return tuple(FIRST if length == 1 else Index(name) for length, name in zip(shape, variables, strict=True))


def variables(place: Place) -> set[str]:
    """The variables on which a place depends."""
    return {index.variable for index in place if index.variable}


def operand_places(equation: Equation, place: Place, specs: Mapping[int, Spec]) -> Iterator[tuple[int, Place]]:
    """The operands of which an operation reads one element for an element of its result, and where.

    Raises:
        Unfit: if it does not read so.
    """
    name, params = equation.primitive.name, dict(equation.params)
    if equation.primitive.family == "elementwise":
        for operand in equation.operands:
            if isinstance(operand, int):
                yield operand, spread(specs[operand].shape, place)
        return
    slot = equation.operands[0]
    if name not in MOVING or not isinstance(slot, int):
        raise Unfit(f"{name} is no operation of single elements")
    shape = specs[slot].shape
    if name == "broadcast_to":
        yield slot, spread(shape, place)
    elif name == "transpose":
        yield slot, turned(params["axes"], place)
    elif name == "reshape":
        yield slot, reshaped(shape, equation.specs[0].shape, place)
    else:
        yield slot, sliced(shape, params["key"], place)


def spread(shape: Shape, place: Place) -> Place:
    """The place in what is broadcast."""
    own = place[len(place) - len(shape) :]
    return tuple(FIRST if length == 1 else index for length, index in zip(shape, own, strict=True))


def turned(axes: Sequence[int], place: Place) -> Place:
    """The place in what has its last axes in another order."""
    lead = len(place) - len(axes)
    found = list(place)
    for index, axis in zip(place[lead:], axes, strict=True):
        found[axis % len(place)] = index
    return tuple(found)


def reshaped(shape: Shape, given: Shape, place: Place) -> Place:
    """The place in what has the same axes, but for those of one element."""
    if [length for length in shape if length != 1] != [length for length in given if length != 1]:
        raise Unfit(f"a reshape from {shape} to {given}")
    long = iter([index for length, index in zip(given, place, strict=True) if length != 1])
    return tuple(FIRST if length == 1 else next(long) for length in shape)


def sliced(shape: Shape, key: Key, place: Place) -> Place:
    """The place in what a slice was taken from."""
    lead = len(shape) - consumed(key)
    found, lengths, given = list(place[:lead]), iter(shape[lead:]), iter(place[lead:])
    for part in key:
        if part is None:
            next(given)
        elif isinstance(part, tuple):
            start, _, step = slice(*part).indices(next(lengths))
            index = next(given)
            found.append(Index(index.variable, index.step * step, start + index.start * step))
        elif isinstance(part, int):
            found.append(Index(start=part % next(lengths)))
    return tuple(found)


def strides(shape: Shape, place: Place) -> tuple[dict[str, int], int]:
    """How far the elements of an array in C order lie apart for each variable, and where the first one lies."""
    found: dict[str, int] = {}
    first = 0
    for step, index in zip(steps(shape), place, strict=True):
        first += step * index.start
        if index.variable:
            found[index.variable] = found.get(index.variable, 0) + step * index.step
    return found, first
