"""Short rows, several at a time: the innermost loops go over rows, so that what is the same in a row is a vector, too.

In a loop over ten columns a vector is never full, and a sum of its lanes, a logarithm or a pick is done for one row
alone. So a block of rows is taken through each step together: a step is a loop over rows, or over columns and
in it over rows. What a later step needs of a row lies in between in an array with a place for each row of the block,
and what it needs of an element in one with such a place for each column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends.kernels.folds import reduces
from autodiff.backends.kernels.forms import FULL, OUTER, PASSING, ROW, Grid
from autodiff.backends.kernels.partition import equation_cost, is_function
from autodiff.backends.kernels.scalars import DTYPES
from autodiff.trace.forking import importing

if TYPE_CHECKING:
    from autodiff.backends.language.tree import Statement
    from autodiff.backends.language.types import Type
    from autodiff.trace.tape import Tape

BLOCK_ROWS = 64
"""Rows of a block: some vectors of them, and what is kept of them stays in the nearest cache."""

LONGEST, FEW = 64, 512
"""The most columns of such rows, and the fewest rows for which another loop is worth compiling."""

REDUCTION, FUNCTION, OPERATION, MOVE = 2.2, 8.0, 0.5, 0.24
"""Nanoseconds that each row of its own costs more: for a reduction, a function of a row's own numbers, another
operation on them; and what it costs to move four bytes of a column that lies across rows."""

GAIN = 2.0
"""So many nanoseconds for each row must be won."""

VECTOR = 64
"""Bytes of a vector."""

PLACE, PLACE_OF_ROW = "r - start", "at"
CODES = {code: dtype for dtype, code in DTYPES.items()}
Passed = dict[str, np.dtype[Any]]


def in_blocks(grid: Grid, tape: Tape) -> bool:
    """Whether rows are done in blocks: many short ones, if that saves more than it costs to load and store columns."""
    if grid.flat or not 1 < grid.columns <= LONGEST or grid.rows < FEW:
        return False
    if grid.split > 1 and (OUTER in grid.forms.values() or grid.views):
        return False  # elements lie in places that loops over rows cannot name
    return saved(grid, tape) - moved(grid, tape) >= GAIN


def saved(grid: Grid, tape: Tape) -> float:
    """Nanoseconds that a row of its own costs more."""
    found, idle = 0.0, lanes(grid, tape) - grid.columns
    for equation in tape.equations:
        form, cost = grid.forms[equation.results[0]], equation_cost(equation, tape.specs)
        if reduces(equation):
            found += REDUCTION * (form == ROW)
        elif form == FULL:
            found += idle * cost
        elif form == ROW and equation.primitive.name not in PASSING:
            found += FUNCTION if is_function(equation, tape.specs) else OPERATION
    return found


def lanes(grid: Grid, tape: Tape) -> int:
    """The lanes of the vectors of a row: what is left of the last one is idle."""
    size = max((s.dtype.itemsize for slot, s in enumerate(tape.specs) if grid.forms.get(slot) == FULL), default=4)
    lanes = VECTOR // size
    while lanes // 2 >= grid.columns:
        lanes //= 2
    return -(-grid.columns // lanes) * lanes


def moved(grid: Grid, tape: Tape) -> float:
    """Nanoseconds for loads and stores of the columns of a row."""
    full = {slot for slot in (*range(len(tape.inputs)), *tape.outputs) if grid.forms.get(slot) == FULL}
    views = [grid.forms.get(slot) for slot in grid.views].count(FULL)
    bytes_moved: int = sum(tape.specs[slot].dtype.itemsize for slot in full) + 4 * views
    return MOVE / 4 * bytes_moved * grid.columns


@dataclass
class Step:
    """What is done to all rows of a block.

    Attributes:
        lines: for one row.
        columns: whether they are done for each column.
        before: what comes in front of the loop over rows.
        after: what comes behind it.
    """

    lines: list[str]
    columns: bool = False
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    loads: list[str] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)


class Block:
    """The steps of a block of rows, with arrays for what passes from one to a later one.

    Args:
        steps: in their order.
        words: what the kernel reads of its block, as statements.
        everywhere: statements that assign names which are no row's own: they pass from row to row.
        width: how many columns there are, as the text says it.

    Attributes:
        passed: the names that pass from step to step, and their dtypes.
    """

    def __init__(self, steps: Iterable[Step], words: Iterable[str], everywhere: Iterable[str], width: str) -> None:
        self.steps, self.width = joined([step for step in steps if step.lines]), width
        with importing:
            from autodiff.backends.language.names import Uses  # noqa: PLC0415 - few programs need these
            from autodiff.backends.language.reading import read_lines  # noqa: PLC0415

        types: dict[str, Type] = dict.fromkeys(("block", "lo", "hi", "part", "columns", "start", "r", "j", "at"), "i8")
        read_lines(words, types)
        common = Uses().assigned(*read_lines(everywhere, types))
        bodies = []
        for step in self.steps:
            read_lines(step.before, types)
            bodies.append(read_lines(step.lines, types))
        self.passed = pass_on(self.steps, bodies, common, types, width)

    def lines(self) -> Iterator[str]:
        yield f"    for start in range(lo, hi, {BLOCK_ROWS}):"
        yield f"        stop = min(start + {BLOCK_ROWS}, hi)"
        for step in self.steps:
            space = "        "
            if step.columns:
                yield space + f"for j in range({self.width}):"
                space += "    "
            yield from (space + line for line in step.before)
            yield space + "for r in range(start, stop):"
            yield from (f"{space}    {line}" for line in (*step.loads, *step.lines, *step.stores))
            yield from (space + line for line in step.after)


def joined(steps: Sequence[Step]) -> list[Step]:
    """Steps of which no two that follow each other are for rows alone."""
    found: list[Step] = []
    for step in steps:
        if found and not found[-1].columns and not step.columns:
            found[-1] = Step([*found[-1].lines, *step.lines])
        else:
            found.append(Step(list(step.lines), step.columns, step.before, step.after))
    return found


def pass_on(
    steps: Sequence[Step],
    bodies: Sequence[Sequence[Statement]],
    everywhere: frozenset[str],
    types: Mapping[str, Type],
    width: str,
) -> Passed:
    """Give steps loads of what earlier ones assign, and those stores; the names and their dtypes.

    Args:
        steps: which get them.
        bodies: what their lines do.
        everywhere: names that all of them know.
        types: of all names.
        width: of a row.
    """
    with importing:
        from autodiff.backends.language.names import Uses  # noqa: PLC0415 - as above

    uses, known = Uses(), set[str]()
    read: list[list[str]] = []
    assigns: list[frozenset[str]] = []
    for step, body in zip(steps, bodies, strict=True):
        use = uses.of_all(body)
        if PLACE_OF_ROW in use.read_first:
            step.lines.insert(0, f"{PLACE_OF_ROW} = r * {width}")
        read.append(sorted((use.read_first & known) - everywhere))
        assigns.append(use.assigned)
        known |= use.assigned
    passed: Passed = {}
    for k, step in enumerate(steps):
        for name in read[k]:
            passed[name] = CODES[str(types[name])]
            step.loads.append(f"{name} = load_{passed[name]}(row_{name}, {place_of()})")
        for name in sorted(assigns[k] & set().union(*read[k + 1 :])):
            step.stores.append(f"store_{CODES[str(types[name])]}(row_{name}, {place_of()}, {name})")
    return passed


def place_of(column: str = "", width: str = "columns") -> str:
    """The place of a row of the block in an array of such rows, or of an element of it."""
    return f"(part * {width} + {column}) * {BLOCK_ROWS} + {PLACE}" if column else f"part * {BLOCK_ROWS} + {PLACE}"
