"""Sums of parts become arrays that are put together: what slices of one array send back meets no zeros."""

from __future__ import annotations

from typing import Any

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.elementwise import add
from autodiff.ops.index import plain_key
from autodiff.ops.join import concatenate, stack
from autodiff.trace.tape import Equation, Operand

Piece = tuple[tuple[Any, ...], Operand]


def pieces_of(builder: Builder, operand: Operand) -> list[Piece] | None:
    """The parts of a sum of parts that nobody else reads; None if it is something else."""
    pieces: list[Piece] = []
    waiting = [operand]
    while waiting:
        part = waiting.pop()
        made = made_of_parts(builder, part)
        if made is None:
            return None
        if made.primitive.name == "slice_into":
            params = dict(made.params)
            pieces.append((plain_key(params["key"], len(params["shape"])), made.operands[0]))
        elif all(made_of_parts(builder, o) for o in made.operands):  # before a long sum is followed in vain
            waiting.extend(made.operands[::-1])
        else:
            return None
    return pieces


def made_of_parts(builder: Builder, operand: Operand) -> Equation | None:
    """The operation that makes a part, or a sum, that nobody else reads."""
    made = builder.made(operand, "slice_into", "add")
    return made if made is not None and builder.used_once(operand) else None


def filled(builder: Builder, equation: Equation) -> bool:
    """Whether the parts of a sum have as many elements as the sum.

    The elements of each sum are noted: to look at all parts at each would take a time that grows with their square.
    """
    total = 0
    for operand in equation.operands:
        made = made_of_parts(builder, operand)
        if made is None:
            return False
        is_part = made.primitive.name == "slice_into"
        size = builder.spec(made.operands[0]).size if is_part else builder.notes.get((filled, made.operands))
        if size is None:
            return False
        total += size
    builder.notes[filled, equation.operands] = total
    return total == equation.specs[0].size


def put_together(builder: Builder, equation: Equation) -> Operand | None:
    """A sum of parts that fill an array side by side."""
    if equation.specs[0].kind != "array" or not filled(builder, equation):
        return None
    found = [pieces_of(builder, o) for o in equation.operands]
    if found[0] is None or found[1] is None:
        return None
    pieces = found[0] + found[1]
    shape = equation.specs[0].shape
    if any(Ellipsis in key or None in key or len(key) != len(shape) for key, _ in pieces):
        return None
    axis = varying_axis([key for key, _ in pieces])
    if axis is None:
        return None
    places = [key[axis] for key, _ in pieces]
    if all(isinstance(place, int) for place in places):
        order = sorted(range(len(places)), key=lambda k: places[k] % shape[axis])
        if [places[k] % shape[axis] for k in order] != list(range(shape[axis])):
            return None
        return builder.emit(stack, *(pieces[k][1] for k in order), axis=axis - len(shape))
    if not all(isinstance(place, slice) for place in places):
        return None
    bounds = [place.indices(shape[axis]) for place in places]
    order = sorted(range(len(places)), key=lambda k: bounds[k][0])
    ends = [bounds[k][1] for k in order]
    starts = [bounds[k][0] for k in order]
    if any(b[2] != 1 for b in bounds) or starts != [0, *ends[:-1]] or ends[-1] != shape[axis]:
        return None
    return builder.emit(concatenate, *(pieces[k][1] for k in order), axis=axis - len(shape), ends=tuple(ends))


def varying_axis(keys: list[tuple[Any, ...]]) -> int | None:
    """The one axis in which indices are not whole; None if there are several."""
    whole = slice(None)
    axes = {axis for key in keys for axis, part in enumerate(key) if not (isinstance(part, slice) and part == whole)}
    return axes.pop() if len(axes) == 1 else None


def added_to_piece(builder: Builder, equation: Equation) -> Operand | None:
    """Arrays that are put together, and a part that one of them fills: it is added to that one."""
    for whole, part in (equation.operands, equation.operands[::-1]):
        joined = builder.made(whole, "concatenate")
        if joined is None or not builder.used_once(whole) or builder.made(part, "slice_into") is None:
            continue
        ((key, value),) = pieces_of(builder, part) or [((), part)]
        shape, params = equation.specs[0].shape, dict(joined.params)
        axis, ends = params["axis"] % len(shape), params["ends"]
        if len(key) != len(shape) or varying_axis([key]) != axis or not isinstance(key[axis], slice):
            continue
        bounds = key[axis].indices(shape[axis])
        for number, place in enumerate(zip((0, *ends), ends, strict=False)):
            if bounds == (*place, 1) and builder.spec(joined.operands[number]) == builder.spec(value):
                parts = list(joined.operands)
                parts[number] = builder.emit(add, parts[number], value)
                return builder.emit(concatenate, *parts, axis=params["axis"], ends=ends)
    return None


PIECES: Rules = {"add": (put_together, added_to_piece)}

__all__ = ["PIECES", "put_together"]
