"""What the values of closed-over index arrays say: ``x[np.arange(n), i]`` picks one element from each row."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import Builder, rewrite
from autodiff.ops.reductions.sort import pick, place
from autodiff.ops.shape import reshape
from autodiff.trace.tape import Equation, Operand, Tape


def use_constants(tape: Tape) -> Tape:
    """The tape with gathers by known row numbers written as picks from rows."""
    first = len(tape.inputs) - len(tape.constants)
    strides = {}
    for slot, value in enumerate(tape.constants, first):
        if type(value) is np.ndarray and value.dtype.kind == "i" and value.size > 1:
            flat = value.ravel()
            step = int(flat[1] - flat[0])
            if flat[0] == 0 and step > 0 and np.array_equal(flat, np.arange(flat.size) * step):
                strides[slot] = step
    if not strides:
        return tape

    def column(builder: Builder, index: Operand, columns: int) -> Operand | None:
        """The columns of places in rows that lie one after the other, as a column; None where it is another index."""
        made = builder.made(index, "add")
        if made is None:
            return None
        for known, other in (made.operands, made.operands[::-1]):
            if not (isinstance(known, int) and isinstance(other, int) and strides.get(known) == columns):
                continue
            if builder.spec(known).shape == builder.spec(other).shape:
                return builder.emit(reshape, other, shape=as_column(builder.spec(other).shape))
        return None

    def gathered(builder: Builder, equation: Equation) -> Operand | None:
        x, i = equation.operands
        flat = builder.made(x, "reshape")
        if flat is None or dict(equation.params)["rest"] or len(builder.spec(flat.operands[0]).shape) < 2:
            return None
        *rows, columns = builder.spec(flat.operands[0]).shape
        shape = builder.spec(i).shape
        if as_column(shape) != (*rows, 1):
            return None
        places = column(builder, i, columns)
        if places is None:
            return None
        return builder.emit(reshape, builder.emit(pick, flat.operands[0], places, axis=-1), shape=shape)

    def scattered(builder: Builder, equation: Equation) -> Operand | None:
        g, i = equation.operands
        params = dict(equation.params)
        shape = builder.spec(g).shape
        rows = prod(shape)
        if params["rest"] or builder.spec(i).shape != shape or not rows or params["length"] % rows:
            return None
        columns = params["length"] // rows
        places = column(builder, i, columns)
        if places is None:
            return None
        put = builder.emit(place, builder.emit(reshape, g, shape=as_column(shape)), places, axis=-1, length=columns)
        return builder.emit(reshape, put, shape=(params["length"],))

    found = rewrite(tape, {"gather": (gathered,), "scatter_add": (scattered,)})
    return tape if found is tape else replace(drop_dead(found), arguments=tape.arguments, results=tape.results)


def as_column(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape whose last axis is one column; another one is added where the last axis is none."""
    return shape if len(shape) > 1 and shape[-1] == 1 else (*shape, 1)
