"""What a kernel of rows computes when: in which of the loops over the columns of a row each value is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff.backends.kernels.folds import reduces
from autodiff.backends.kernels.forms import (
    COLUMN,
    FULL,
    ROW,
    SCALAR,
    Grid,
    Shape,
    grid_of,
    sub_specs,
)
from autodiff.backends.kernels.rows.blocks import LONGEST, in_blocks
from autodiff.backends.kernels.scalars import costly
from autodiff.trace.caching import cached_property
from autodiff.trace.tape import Equation, Tape

ONCE = -1
"""The loop over the columns that runs once, before all rows: it stores what is the same in all of them."""


@dataclass(frozen=True)
class Argument:
    """One word of a kernel's block.

    Attributes:
        name: in the text.
        role: ``input``, ``output``, ``partial`` (one element or row for each chunk), ``scratch``, ``size``.
        slot: of the tape, for inputs and outputs.
        dtype: of the elements.
        value: of a size; of memory to work in, how many elements each chunk has.
    """

    name: str
    role: str
    slot: int = -1
    dtype: np.dtype[Any] | None = None
    value: int = 0


@dataclass
class Level:
    """What one loop over the columns of a row is made of.

    Attributes:
        before: it, for a row.
        body: for an element.
        after: it, for a row.
        begin: in front of what is done to an element of each row of a block.
        end: behind that.
    """

    before: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    begin: list[str] = field(default_factory=list)
    end: list[str] = field(default_factory=list)


class RowSchedule:
    """The operations of a tape on a grid, each in its loop.

    Args:
        tape: its inputs come from outside, its outputs are wanted there.
        shape: of a grid on which all its operations fit.
        shared: pairs of an output and the input in whose memory it lies.
    """

    def __init__(self, tape: Tape, shape: Shape, shared: Sequence[tuple[int, int]] = ()) -> None:
        self.tape = tape
        self.shared = dict(shared)
        self.specs = dict(enumerate(tape.specs))
        self.grid: Grid = grid_of(tape.equations, self.specs, shape)
        self.forms = self.grid.forms
        self.blocks = self.in_blocks()
        self.made = {equation.results[0]: equation for equation in tape.equations}
        self.outputs = list(dict.fromkeys(out for out in tape.outputs if isinstance(out, int)))
        self.arguments: list[Argument] = []
        self.prelude: list[str] = []
        self.levels: dict[int, Level] = {}
        self.sums: list[int] = []
        self.names: dict[tuple[int, int], str] = {}
        self.row_names: dict[int, str] = {}
        self.kept: dict[int, str] = {}
        self.known_at: dict[int, int] = {}
        self.checked: set[str] = set()
        self.zeros: set[int] = set()
        self.checks = any(e.primitive.name in ("pick", "place") for e in tape.equations)
        self.find_levels()

    @property
    def columns_text(self) -> str:
        """How many columns there are, as the text says it."""
        return "columns"

    def in_blocks(self) -> bool:
        """Whether several rows are done at a time."""
        return in_blocks(self.grid, self.tape)

    def level(self, slot: int) -> int:
        """The first loop in which a value is known."""
        return self.known_at[slot] if slot in self.made else 0

    def find_levels(self) -> None:
        """Find the first loop for each value: operations stand in their order, so operands are known."""
        for slot, equation in self.made.items():
            found = max((self.level(o) for o in equation.operands if isinstance(o, int)), default=0)
            along_rows = self.forms[slot] == ROW and reduces(equation)
            self.known_at[slot] = self.reduced_at(slot) + 1 if along_rows else found

    def reduced_at(self, slot: int) -> int:
        """The loop in which a reduction reads what it reduces."""
        (operand,) = self.made[slot].operands
        assert isinstance(operand, int)
        return self.level(operand)

    @cached_property
    def roots(self) -> dict[int, list[int]]:
        """For each loop the slots that it is there for: stores and reductions."""
        found: dict[int, list[int]] = {}
        for equation in self.tape.equations:
            slot = equation.results[0]
            if reduces(equation):
                found.setdefault(self.reduced_at(slot), []).append(slot)
            elif slot in self.outputs:
                found.setdefault(ONCE if self.forms[slot] == COLUMN else self.level(slot), []).append(slot)
        return found

    def plan(self) -> None:
        """Find what later loops load instead of computing it again."""
        first: dict[int, int] = {}
        again: set[int] = set()
        for level in sorted(self.roots.keys() - {ONCE}):
            waiting = [(slot, True) for slot in reversed(self.roots[level])]
            seen: set[int] = set()
            while waiting:
                slot, root = waiting.pop()
                equation = self.made.get(slot)
                if slot in seen:
                    continue
                seen.add(slot)
                if equation is None:
                    if self.blocks and self.forms[slot] == FULL and first.setdefault(slot, level) < level:
                        again.add(slot)  # a column of several rows is dear to load
                    continue
                if equation.primitive.name == "place":
                    continue
                if not (root and reduces(equation)):
                    if self.forms[slot] != FULL:
                        if self.forms[slot] == COLUMN:
                            waiting.extend((o, False) for o in equation.operands if isinstance(o, int))
                        continue
                    if first.setdefault(slot, level) < level and (slot in self.outputs or self.dear(equation)):
                        again.add(slot)
                        continue
                waiting.extend((o, False) for o in equation.operands if isinstance(o, int))
        for slot in sorted(again):
            self.kept[slot] = f"out{slot}" if slot in self.outputs else f"row{slot}"
            self.known_at[slot] = first[slot]

    def places(self, slot: int, level: int) -> set[int]:
        """The rows with one element in its place that an element is computed from in the loop of a level."""
        found: set[int] = set()
        seen, waiting = {slot}, [slot]
        while waiting:
            one = waiting.pop()
            equation = self.made.get(one)
            if equation is None or self.forms[one] != FULL or (one in self.kept and self.known_at[one] < level):
                continue
            if equation.primitive.name == "place":
                found.add(one)
                continue
            fresh = [o for o in equation.operands if isinstance(o, int) and o not in seen]
            seen.update(fresh)
            waiting += fresh
        return found

    def afterwards(self, level: int) -> bool:
        """Whether elements in their places are stored after the loop of a level, which then computes with zeros.

        That needs no comparison in each round; but nothing else may be made of what the loop computes.
        """
        if self.grid.columns <= LONGEST:
            return False
        for slot in self.roots[level]:
            operands = [o for o in self.made[slot].operands if isinstance(o, int)]
            if reduces(self.made[slot]) and any(self.places(o, level) for o in operands):
                return False
        return not any(self.known_at[slot] == level and self.places(slot, level) for slot in self.kept)

    def dear(self, equation: Equation) -> bool:
        if equation.primitive.family != "elementwise":
            return False
        return costly(equation.primitive, sub_specs(equation.operands, self.specs), equation.specs[0])

    def is_number(self, slot: int) -> bool:
        """Whether an input is one number, however it is looked at."""
        return slot not in self.made and (self.forms.get(slot) == SCALAR or self.specs[slot].kind != "array")

    def is_sum(self, slot: int) -> bool:
        return self.made[slot].primitive.name in ("sum", "sum_as")

    def size(self, name: str, value: int) -> str:
        """A size that the kernel reads from its block, so that its text does not depend on it."""
        if all(argument.name != name for argument in self.arguments):
            self.arguments.append(Argument(name, "size", value=value))
        return name
