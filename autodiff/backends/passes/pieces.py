"""Sums of parts become arrays that are put together: what slices of one array send back meets no zeros."""

from __future__ import annotations

from typing import Any

from autodiff.backends.passes.rewriting import Builder, Rules
from autodiff.ops.index import plain_key
from autodiff.ops.join import concatenate, stack
from autodiff.trace.tape import Equation, Operand

Piece = tuple[tuple[Any, ...], Operand]


def pieces_of(builder: Builder, operand: Operand) -> list[Piece] | None:
    """The parts of a sum of parts that nobody else reads; None if it is something else."""
    made = builder.made(operand, "slice_into", "add")
    if made is None or not builder.used_once(operand):
        return None
    if made.primitive.name == "slice_into":
        params = dict(made.params)
        return [(plain_key(params["key"], len(params["shape"])), made.operands[0])]
    first, second = (pieces_of(builder, o) for o in made.operands)
    return None if first is None or second is None else first + second


def put_together(builder: Builder, equation: Equation) -> Operand | None:
    """A sum of parts that fill an array side by side."""
    found = [pieces_of(builder, o) for o in equation.operands]
    if found[0] is None or found[1] is None or equation.specs[0].kind != "array":
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


PIECES: Rules = {"add": (put_together,)}

__all__ = ["PIECES", "put_together"]
