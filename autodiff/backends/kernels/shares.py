"""How the rows of a kernel are shared out among calls and threads, by counting."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff.backends.kernels.forms import Grid
from autodiff.backends.kernels.scalars import costly
from autodiff.trace.tape import Tape

CHUNK, PARALLEL, MOST = 8_000, 14_000, 64
"""Nanoseconds of work that make one chunk, and that are shared by threads; and the largest number of chunks."""

FEW = 8
"""The same where every chunk may have a sum for each column."""


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
    work = grid.rows * row
    parallel = work > PARALLEL and grid.rows > 1
    most = FEW if any(e.primitive.name.startswith("sum") and e.specs[0].ndim for e in tape.equations) else MOST
    wanted = max(2, min(most, 1 << int(work / CHUNK).bit_length() - 1)) if parallel else 1  # divides among few threads
    chunk = max(1, -(-grid.rows // wanted))
    if grid.flat:  # whole vectors
        chunk = -(-chunk // 64) * 64
    return Share(chunk, -(-grid.rows // chunk), work, parallel)


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
