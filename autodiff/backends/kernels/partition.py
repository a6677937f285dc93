"""How the rows of a kernel are shared out among calls and threads, by counting."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autodiff.backends.kernels.forms import Grid
from autodiff.backends.kernels.scalars import CHEAP_CALLS, costly, parsed, template
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape

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
    return 0.1 + sum(equation_cost(equation, specs) for equation in tape.equations)


def equation_cost(equation: Equation, specs: Sequence[Spec]) -> float:
    """Nanoseconds of one operation on one element."""
    wide = equation.specs[0].dtype.itemsize / 4
    dear = equation.primitive.family == "elementwise" and costly(*looked_at(equation, specs))
    return (0.35 if dear else 0.03) * wide


def is_function(equation: Equation, specs: Sequence[Spec]) -> bool:
    """Whether an operation is a function of some dozens of instructions."""
    if equation.primitive.family != "elementwise":
        return False
    nodes = ast.walk(parsed(template(*looked_at(equation, specs))))
    calls = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return bool(calls - CHEAP_CALLS - {"sqrt"})


def looked_at(equation: Equation, specs: Sequence[Spec]) -> tuple[Primitive, list[Any], Spec]:
    """An operation, the specs and numbers of its operands, and its result's spec."""
    operands = [specs[o] if isinstance(o, int) else o.value for o in equation.operands]
    return equation.primitive, operands, equation.specs[0]
