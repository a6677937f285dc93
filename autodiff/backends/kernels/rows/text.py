"""The text of a kernel that runs over a grid of rows and columns.

In every row there are as many loops over its columns as reductions ask for: what a reduction gives is known to the
loops after it. Each loop computes what its stores and reductions need, and nothing is kept between loops but what is
dear to compute; a row stays in cache from one loop to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from autodiff.backends.kernels.folds import reduces
from autodiff.backends.kernels.forms import (
    COLUMN,
    COLUMN_TOTAL,
    FULL,
    TOTAL,
    Shape,
)
from autodiff.backends.kernels.rows.blocks import BLOCK_ROWS, Block, Step
from autodiff.backends.kernels.rows.reductions import MANY, ROWS, RowReductions, accumulated
from autodiff.backends.kernels.rows.schedule import ONCE, Argument, Level
from autodiff.backends.kernels.rows.values import number
from autodiff.trace.tape import Tape

SHORT = 64
"""Rows of so few columns have their length in the text: loops over them need no loop."""

BLOCK = 4096
"""So many elements are summed in their own dtype before their sum is added to a total in float64."""


STRIP = 8
"""So many columns are done at a time where a value is read along its columns."""


class RowKernel(RowReductions):
    """The kernel of a tape on a grid.

    Args:
        tape: its inputs come from outside, its outputs are wanted there.
        grid: on which all its operations fit.
        shared: pairs of an output and the input in whose memory it lies (:mod:`in_place` says which may).

    Attributes:
        text: of the kernel.
        arguments: the words of its block.
    """

    def __init__(self, tape: Tape, shape: Shape, shared: Sequence[tuple[int, int]] = ()) -> None:
        super().__init__(tape, shape, shared)
        self.text = self.write()

    @property
    def columns_text(self) -> str:
        return str(self.grid.columns) if self.grid.columns <= SHORT else "columns"

    def write(self) -> str:
        grid = self.grid
        if not grid.flat:
            self.plan()
        for slot, spec in enumerate(self.tape.inputs):
            self.arguments.append(Argument(f"in{slot}", "input", slot, spec.dtype))
        for slot in self.outputs:
            if slot in self.shared:
                continue
            total = self.forms[slot] in (TOTAL, COLUMN_TOTAL)
            dtype = self.specs[slot].dtype
            kept = accumulated(dtype) if self.forms[slot] == TOTAL and self.is_sum(slot) else dtype
            self.arguments.append(Argument(f"out{slot}", "partial" if total else "output", slot, kept))
        self.carried = self.carries()
        for slot, name in self.kept.items():
            if name.startswith("row"):
                size = grid.columns * (BLOCK_ROWS if self.blocks else 1)
                self.arguments.append(Argument(name, "scratch", slot, self.specs[slot].dtype, size))
        if self.checks:
            self.arguments.append(Argument("status", "status", dtype=np.dtype(np.int64)))
        self.size("chunk", 0)
        if not grid.flat and self.columns_text == "columns":
            self.size("columns", grid.columns)
        for level in sorted(self.roots):
            self.levels[level] = Level()
            if level != ONCE and self.afterwards(level):
                self.zeros.add(level)
            for slot in self.roots[level]:
                self.root(slot, level)
        self.block = self.block_of_rows() if self.blocks else None
        return "\n".join(self.lines()) + "\n"

    def lines(self) -> Iterable[str]:
        yield "def kernel(block, lo, hi):"
        for place, argument in enumerate(self.arguments):
            yield f"    {argument.name} = {self.word(place, argument)}{self.remark(argument)}"
        for slot, other in self.shared.items():
            yield f"    out{slot} = in{other}"
        for line in self.prelude:
            yield f"    {line}"
        totals, columns = self.slots_of(TOTAL), self.slots_of(COLUMN_TOTAL)
        carried = [slot for slot in columns if slot in self.carried]
        if totals or columns or any(a.role == "scratch" for a in self.arguments):
            yield "    part = lo // chunk"
        yield from (f"    {line}" for line in self.totals_begin())
        if columns:
            yield f"    for j in range({self.columns_text}):"
            for slot in columns:
                yield f"        {self.stored('out', slot, self.start(slot))}"
            for slot in carried:
                yield f"        {self.stored('rest', slot, self.start(slot))}"
        once = self.levels.pop(ONCE, None)
        if once is not None:
            yield "    if lo == 0:"
            yield f"        for j in range({self.columns_text}):"
            yield from (f"            {line}" for line in once.body)
        if self.grid.flat:
            yield from self.flat_loop(totals)
        elif self.block is not None:
            yield from self.block_loop(self.block)
        else:
            yield from self.row_loop()
        if carried:
            yield f"    for j in range({self.columns_text}):"
            yield from (f"        {line}" for slot in carried for line in self.completed(slot))
        for slot in totals:
            yield f"    store_{self.argument(f'out{slot}').dtype}(out{slot}, part, total{slot})"

    def totals_begin(self) -> Iterator[str]:
        """Statements that name the totals."""
        for slot in self.slots_of(TOTAL):
            dtype = self.specs[slot].dtype
            yield f"total{slot} = {self.start(slot, accumulated(dtype) if self.is_sum(slot) else dtype)}"

    def flat_loop(self, totals: list[int]) -> Iterable[str]:
        body = [line for level in self.levels.values() for line in (*level.before, *level.body)]
        if not totals:
            yield "    for r in range(lo, hi):"
            yield from (f"        {line}" for line in body)
            return
        yield f"    for start in range(lo, hi, {BLOCK}):"
        yield from (f"        sum{slot} = {self.start(slot)}" for slot in totals)
        yield f"        for r in range(start, min(start + {BLOCK}, hi)):"
        yield from (f"            {line}" for line in body)
        yield from (f"        {self.gather_total(slot, f'sum{slot}')}" for slot in totals)

    def row_loop(self) -> Iterable[str]:
        totals, columns = self.partial_totals(), [s for s in self.slots_of(COLUMN_TOTAL) if s in self.carried]
        if self.grid.rows < MANY or not (totals or columns):
            yield from self.rows_between("lo", "hi")
            return
        yield f"    for first in range(lo, hi, {ROWS}):"
        yield from (f"        some{slot} = {self.start(slot, accumulated(self.specs[slot].dtype))}" for slot in totals)
        if columns:
            yield f"        for j in range({self.columns_text}):"
            yield from (f"            {self.stored('some', slot, self.start(slot))}" for slot in columns)
        yield from (f"    {line}" for line in self.rows_between("first", f"min(first + {ROWS}, hi)"))
        yield from (f"        total{slot} += some{slot}" for slot in totals)
        if columns:
            yield f"        for j in range({self.columns_text}):"
            for slot in columns:
                yield from (f"            {line}" for line in self.added(slot, self.loaded("some", slot)))

    def rows_between(self, first: str, last: str) -> Iterable[str]:
        """The loop over some rows."""
        if self.grid.turned and self.alone:
            yield from self.by_strips(first, last)
            return
        yield f"    for r in range({first}, {last}):"
        yield f"        at = r * {self.columns_text}"
        for place in sorted(self.levels):
            level = self.levels[place]
            yield from (f"        {line}" for line in level.before)
            if level.body:
                yield f"        for j in range({self.columns_text}):"
                yield from (f"            {line}" for line in level.body)
            yield from (f"        {line}" for line in level.after)

    @property
    def alone(self) -> bool:
        """Whether each element is computed by itself."""
        return len(self.levels) == 1 and not any(level.before or level.after for level in self.levels.values())

    def by_strips(self, first: str, last: str) -> Iterable[str]:
        """The loop over some rows, a few columns at a time: lines of what is read along a column serve several rows."""
        (level,), columns = self.levels.values(), self.columns_text
        yield f"    for strip in range(0, {columns}, {STRIP}):"
        yield f"        for r in range({first}, {last}):"
        yield f"            at = r * {columns}"
        yield f"            for j in range(strip, min(strip + {STRIP}, {columns})):"
        yield from (f"                {line}" for line in level.body)

    def block_of_rows(self) -> Block:
        """The steps in which a block of rows is done; what passes between them gets its memory."""
        steps: list[Step] = []
        for place in sorted(self.levels.keys() - {ONCE}):
            level = self.levels[place]
            steps.append(Step(level.before))
            steps.append(Step(level.body, True, level.begin, level.end))
            steps.append(Step(level.after))
        words = [f"{a.name} = {self.word(k, a)}" for k, a in enumerate(self.arguments)]
        everywhere = [*self.totals_begin(), "outside = False"]
        block = Block(steps, [*words, *self.prelude], everywhere, self.columns_text)
        for name, dtype in block.passed.items():
            self.arguments.append(Argument(f"row_{name}", "scratch", dtype=dtype, value=BLOCK_ROWS))
        return block

    def block_loop(self, block: Block) -> Iterable[str]:
        if self.checks:
            yield "    outside = False"
        yield from block.lines()
        if self.checks:
            yield "    if outside:"
            yield "        store_int64(status, 0, i8(1))"

    def word(self, place: int, argument: Argument) -> str:
        if argument.role == "size":
            return f"word(block, {place})"
        if argument.role == "input" and self.is_number(argument.slot):
            return number(place, self.specs[argument.slot])
        return f"pointer(block, {place})"

    def remark(self, argument: Argument) -> str:
        if argument.role in ("input", "output", "partial"):
            return f"  # {self.forms[argument.slot]} {argument.dtype}"
        return ""

    def argument(self, name: str) -> Argument:
        return next(argument for argument in self.arguments if argument.name == name)

    # Roots.

    def root(self, slot: int, level: int) -> None:
        equation, form = self.made[slot], self.forms[slot]
        if reduces(equation):
            self.reduction(slot, equation, level)
        elif form == COLUMN:
            value = self.element(slot, level)
            self.levels[level].body.append(f"store_{self.specs[slot].dtype}(out{slot}, j, {value})")
        elif form == FULL:
            value = self.element(slot, level)
            if slot not in self.kept:
                self.levels[level].body.append(f"store_{self.specs[slot].dtype}(out{slot}, {self.here}, {value})")
            if level in self.zeros:
                self.put_in_place(slot, level)
        else:
            value = self.row_value(slot, level)
            self.levels[level].before.append(f"store_{self.specs[slot].dtype}(out{slot}, r, {value})")

    def put_in_place(self, slot: int, level: int) -> None:
        """Store the elements of a row that a loop computes with zeros in place of numbers."""
        columns = sorted({self.index(self.made[k], 0) for k in self.places(slot, level)})
        for column in columns:
            value = self.lone(slot, column, level)
            self.levels[level].after.append(f"store_{self.specs[slot].dtype}(out{slot}, at + {column}, {value})")
