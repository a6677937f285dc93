"""What is picked from each of many rows by one index, as a kernel of rows: nothing is transposed in memory."""

from __future__ import annotations

from dataclasses import replace

from autodiff.backends.kernels.rows.gathers import pick_kernel, picked
from autodiff.backends.passes.memory.sharing import keep_apart
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules, concerned, joined, rewrite
from autodiff.backends.passes.rewrite.shapes import SHAPES
from autodiff.ops.shape import transpose
from autodiff.trace.tape import Equation, Operand, Tape

Axes = tuple[int, ...]


def rows_last(ndim: int, rows: int) -> Axes:
    """The axes of an array with the first ones moved to the end."""
    return tuple(axis - ndim for axis in (*range(rows, ndim), *range(rows)))


def by_rows(builder: Builder, equation: Equation) -> Operand | None:
    """A gather, or a sum of what is scattered, of which every row is done by itself."""
    values, index = equation.operands
    rest = dict(equation.params)["rest"]
    moved = builder.made(values, "transpose")
    given, out = builder.spec(values), equation.specs[0]
    along = dict(equation.params).get("rank", 1)
    if not rest or moved is None or given.ndim != rest + along or not isinstance(index, int):
        return None
    larger = given if given.size > out.size else out
    if dict(moved.params)["axes"] != rows_last(given.ndim, rest) or not picked(larger, builder.spec(index)):
        return None
    (source,) = moved.operands
    first = replace(moved, operands=(0,), results=(2,))
    back = tuple(axis - out.ndim for axis in (*range(out.ndim - rest, out.ndim), *range(out.ndim - rest)))
    turned = transpose.spec(out, axes=back)
    equations = (
        first,
        replace(equation, operands=(2, 1), results=(3,)),
        Equation(transpose, (3,), (("axes", back),), (4,), (turned,), equation.source),
    )
    tape = Tape((builder.spec(source), builder.spec(index)), equations, (4,))
    kernel = replace(pick_kernel(tape, equation.source), operands=(source, index))
    (found,) = builder.place(kernel)
    return builder.emit(transpose, found, axes=rows_last(out.ndim, rest))


PICKS: Rules = {"gather": (by_rows,), "scatter_add": (by_rows,)}


def pick_by_rows(tape: Tape) -> Tape:
    """The tape with kernels in the places of such operations."""
    if not concerned(tape, PICKS):
        return tape
    return keep_apart(tape, drop_dead(rewrite(tape, joined(PICKS, SHAPES), merge=True)))
