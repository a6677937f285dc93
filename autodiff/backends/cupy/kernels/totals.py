"""Totals: what all threads, or all rows, have in common at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from autodiff.backends.cupy.kernels.expressions import expression, typename
from autodiff.backends.cupy.kernels.sharing import THREADS, Sharing
from autodiff.backends.kernels.folds import beginning, combined, fold_of
from autodiff.trace.facts import ADDED, ALL, ANY, LARGEST, MULTIPLIED, SMALLEST
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation

REDUCERS = {
    ADDED: "Sum", MULTIPLIED: "Product", LARGEST: "Largest", SMALLEST: "Smallest", ANY: "Any", ALL: "All",
}  # fmt: skip
"""How the prelude calls reductions."""

COLUMNS_OF_BLOCK = 8
"""Columns whose sums a block of the second pass finishes: a sector of memory, and so few that many blocks do it."""


class Loop(Protocol):
    """What a loop says of its totals."""

    @property
    def sharing(self) -> Sharing:
        """How the threads share the work."""

    @property
    def made(self) -> Mapping[int, Equation]:
        """The equations by their results."""

    @property
    def specs(self) -> Mapping[int, Spec]:
        """The specs of values."""

    def kept_dtype(self, slot: int) -> np.dtype[Any]:
        """The dtype in which a total is kept."""


def folded(equation: Equation, name: str, value: str) -> str:
    """The statement by which an element joins a reduction."""
    return f"{name} = {combined(fold_of(equation), name, value, equation.specs[0].dtype)}"


def total_lines(loop: Loop, slots: Sequence[int], computed: Sequence[str], wanted: Sequence[int]) -> Iterator[str]:
    """What blocks do with the totals of their threads; the last block puts all of them together.

    Args:
        loop: of the threads.
        slots: the totals.
        computed: what is computed of them, ``v1`` of the total in slot 1, in C++.
        wanted: the totals, and what is computed of them, that are outputs.
    """
    if not slots:
        return
    threads = loop.sharing.threads
    for slot in slots:
        reducer = REDUCERS[fold_of(loop.made[slot])]
        yield f"total{slot} = reduce_team<{reducer}, {threads}>(total{slot});"
        yield f"if (threadIdx.x == 0) part{slot}[block_number()] = total{slot};"
    yield "if (last_block(counter)) {"
    for slot in slots:
        fold, kept = fold_of(loop.made[slot]), loop.kept_dtype(slot)
        begin = f"static_cast<{typename(kept)}>({expression(beginning(fold, kept))})"
        kinds = f"{typename(loop.specs[slot].dtype)}, {REDUCERS[fold]}, {threads}"
        yield f"  const auto v{slot} = finish_total<{kinds}>(part{slot}, {begin});"
    yield "  if (threadIdx.x == 0) {"
    yield from (f"    {line}" for line in (*computed, *(f"out{slot}[0] = v{slot};" for slot in wanted)))
    yield "  }"
    yield "}"


def column_function(loop: Loop, slots: Sequence[int]) -> Iterator[str]:
    """The second pass over the columns: sums of what the blocks of the first one left."""
    for slot in slots:
        yield f"sum_columns<{THREADS}, {COLUMNS_OF_BLOCK}>(part{slot}, blocks, columns, out{slot});"


def row_function(loop: Loop, slots: Sequence[int]) -> Iterator[str]:
    """The second pass over rows that were cut: each thread puts the parts of a row together."""
    yield f"const Index r = Index(blockIdx.x) * {THREADS} + threadIdx.x;"
    yield "if (r >= rows) return;"
    for slot in slots:
        fold, dtype, total = fold_of(loop.made[slot]), loop.specs[slot].dtype, f"total{slot}"
        yield f"{typename(dtype)} {total} = {expression(beginning(fold, dtype))};"
        yield "for (Index k = 0; k < tiles; ++k)"
        yield f"  {total} = {REDUCERS[fold]}::of({total}, part{slot}[k * rows + r]);"
        yield f"out{slot}[r] = {total};"
