"""How the rows of a kernel are shared out among calls and threads, by counting."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff.backends.kernels.forms import Grid
from autodiff.backends.kernels.scalars import costly
from autodiff.trace.tape import Tape

CHUNK, PARALLEL = 20_000, 30_000
"""Nanoseconds of work that make one chunk, and that are shared by threads."""


@dataclass(frozen=True)
class Share:
    """How the rows of a grid are shared out, by counting.

    Attributes:
        chunk: so many rows are done at a time.
        parts: chunks.
        work: nanoseconds of one thread for all.
        parallel: whether threads share the chunks.
    """

    chunk: int
    parts: int
    work: float
    parallel: bool


def shared(grid: Grid, tape: Tape) -> Share:
    """How the rows of the grid of a tape are shared out."""
    row = grid.columns * element_cost(tape)
    chunk = max(1, int(CHUNK / row))
    if grid.flat:
        chunk = -(-chunk // 4096) * 4096
    parts = -(-grid.rows // chunk)
    work = grid.rows * row
    return Share(chunk, parts, work, work > PARALLEL and parts > 1)


def element_cost(tape: Tape) -> float:
    """Nanoseconds of one thread for an element, by the count of operations."""
    specs = tape.specs
    cost = 0.1
    for equation in tape.equations:
        operands = [specs[o] if isinstance(o, int) else o.value for o in equation.operands]
        wide = equation.specs[0].dtype.itemsize / 4
        dear = equation.primitive.family == "elementwise" and costly(
            equation.primitive.name, operands, equation.specs[0]
        )
        cost += (0.35 if dear else 0.03) * wide
    return cost
