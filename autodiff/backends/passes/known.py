"""What the values of closed-over index arrays say: ``x[np.arange(n), i]`` picks one element from each row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autodiff.backends.passes.dead import drop_dead
from autodiff.backends.passes.rewriting import Builder, rewrite
from autodiff.ops.shape import reshape
from autodiff.ops.sort import pick, place
from autodiff.trace.tape import Equation, Operand, Tape


def use_constants(tape: Tape) -> Tape:
    """The tape with gathers by known row numbers written as picks from rows."""
    first = len(tape.inputs) - len(tape.constants)
    strides = {}
    for slot, value in enumerate(tape.constants, first):
        if type(value) is np.ndarray and value.ndim == 1 and value.dtype.kind == "i" and value.size > 1:
            step = int(value[1] - value[0])
            if value[0] == 0 and step > 0 and np.array_equal(value, np.arange(value.size) * step):
                strides[slot] = step
    if not strides:
        return tape

    def column(builder: Builder, index: Operand, rows: int, columns: int) -> Operand | None:
        """The columns of places in rows that lie one after the other; None where the index is another one."""
        made = builder.made(index, "add")
        if made is None:
            return None
        for known, other in (made.operands, made.operands[::-1]):
            if not (isinstance(known, int) and isinstance(other, int) and strides.get(known) == columns):
                continue
            if builder.spec(known).shape == builder.spec(other).shape == (rows,):
                return other
        return None

    def gathered(builder: Builder, equation: Equation) -> Operand | None:
        x, i = equation.operands
        flat = builder.made(x, "reshape")
        if flat is None or dict(equation.params)["rest"] or len(builder.spec(flat.operands[0]).shape) != 2:
            return None
        rows, columns = builder.spec(flat.operands[0]).shape
        found = column(builder, i, rows, columns)
        if found is None:
            return None
        places = builder.emit(reshape, found, shape=(rows, 1))
        return builder.emit(reshape, builder.emit(pick, flat.operands[0], places, axis=-1), shape=(rows,))

    def scattered(builder: Builder, equation: Equation) -> Operand | None:
        g, i = equation.operands
        params = dict(equation.params)
        if params["rest"] or params["rank"] != 1 or len(builder.spec(g).shape) != 1:
            return None
        (rows,) = builder.spec(g).shape
        if not rows or params["length"] % rows:
            return None
        columns = params["length"] // rows
        found = column(builder, i, rows, columns)
        if found is None:
            return None
        places = builder.emit(reshape, found, shape=(rows, 1))
        put = builder.emit(place, builder.emit(reshape, g, shape=(rows, 1)), places, axis=-1, length=columns)
        return builder.emit(reshape, put, shape=(params["length"],))

    found = rewrite(tape, {"gather": (gathered,), "scatter_add": (scattered,)})
    return tape if found is tape else replace(drop_dead(found), arguments=tape.arguments, results=tape.results)
