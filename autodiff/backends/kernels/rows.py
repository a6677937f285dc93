"""The text of a kernel that runs over a grid of rows and columns.

In every row there are as many loops over its columns as reductions ask for: what a reduction gives is known to the
loops after it. Each loop computes what its stores and reductions need, and nothing is kept between loops but what is
dear to compute; a row stays in cache from one loop to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from autodiff.backends.kernels.forms import (
    COLUMN,
    COLUMN_TOTAL,
    FULL,
    OUTER,
    PASSING,
    REDUCTIONS,
    ROW,
    SCALAR,
    TOTAL,
    Grid,
    Shape,
    View,
    grid_of,
    sub_specs,
)
from autodiff.backends.kernels.scalars import DTYPES, cast, costly, expression, literal
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Literal, Tape

ONCE = -1
"""The loop over the columns that runs once, before all rows: it stores what is the same in all of them."""

SHORT = 64
"""Rows of so few columns have their length in the text: loops over them need no loop."""

BLOCK = 4096
"""So many elements are summed in their own dtype before their sum is added to a total in float64."""

FOLDS = {"sum": "reduce_add", "sum_as": "reduce_add", "max": "reduce_maximum", "min": "reduce_minimum",
         "prod": "reduce_multiply", "any": "|", "all": "&"}  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """One word of a kernel's block.

    Attributes:
        name: in the text.
        role: ``input``, ``output``, ``partial`` (one element or row for each chunk), ``scratch``, ``size``.
        slot: of the tape, for inputs and outputs.
        dtype: of the elements.
        value: of a size.
    """

    name: str
    role: str
    slot: int = -1
    dtype: np.dtype[Any] | None = None
    value: int = 0


@dataclass
class Level:
    """What one loop over the columns of a row is made of."""

    before: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def accumulated(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which a total is kept."""
    return np.dtype(np.float64 if dtype.kind == "f" else np.int64 if dtype.kind in "iub" else dtype)


class RowKernel:
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
        self.tape = tape
        self.shared = dict(shared)
        self.specs = dict(enumerate(tape.specs))
        self.grid: Grid = grid_of(tape.equations, self.specs, shape)
        self.forms = self.grid.forms
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
        self.checks = any(e.primitive.name in ("pick", "place") for e in tape.equations)
        self.text = self.write()

    # What is computed when.

    def level(self, slot: int) -> int:
        """The first loop in which a value is known."""
        equation = self.made.get(slot)
        if equation is None:
            return 0
        found = self.known_at.get(slot)
        if found is None:
            found = max((self.level(o) for o in equation.operands if isinstance(o, int)), default=0)
            if self.forms[slot] == ROW and equation.primitive.name in REDUCTIONS:
                found += 1
            self.known_at[slot] = found
        return found

    @cached_property
    def roots(self) -> dict[int, list[int]]:
        """For each loop the slots that it is there for: stores and reductions."""
        found: dict[int, list[int]] = {}
        for equation in self.tape.equations:
            slot = equation.results[0]
            if equation.primitive.name in REDUCTIONS:
                operand = equation.operands[0]
                assert isinstance(operand, int)
                found.setdefault(self.level(operand), []).append(slot)
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
                if equation is None or slot in seen:
                    continue
                seen.add(slot)
                if equation.primitive.name == "place":
                    continue
                if not (root and equation.primitive.name in REDUCTIONS):
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

    def dear(self, equation: Equation) -> bool:
        if equation.primitive.family != "elementwise":
            return False
        return costly(equation.primitive.name, sub_specs(equation.operands, self.specs), equation.specs[0])

    # The text.

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
        for slot, name in self.kept.items():
            if name.startswith("row"):
                self.arguments.append(Argument(name, "scratch", slot, self.specs[slot].dtype))
        if self.checks:
            self.arguments.append(Argument("status", "status", dtype=np.dtype(np.int64)))
        self.size("chunk", 0)
        if not grid.flat and grid.columns > SHORT:
            self.size("columns", grid.columns)
        for level in sorted(self.roots):
            self.levels[level] = Level()
            for slot in self.roots[level]:
                self.root(slot, level)
        text = "\n".join(self.lines()) + "\n"
        return text if grid.columns > SHORT else re.sub(r"\bcolumns\b", str(grid.columns), text)

    def is_number(self, slot: int) -> bool:
        """Whether an input is one number, however it is looked at."""
        return slot not in self.made and (self.forms[slot] == SCALAR or self.specs[slot].kind != "array")

    def is_sum(self, slot: int) -> bool:
        return self.made[slot].primitive.name in ("sum", "sum_as")

    def size(self, name: str, value: int) -> str:
        """A size that the kernel reads from its block, so that its text does not depend on it."""
        if all(argument.name != name for argument in self.arguments):
            self.arguments.append(Argument(name, "size", value=value))
        return name

    def lines(self) -> Iterable[str]:
        yield "def kernel(block, lo, hi):"
        for place, argument in enumerate(self.arguments):
            yield f"    {argument.name} = {self.word(place, argument)}{self.remark(argument)}"
        for slot, other in self.shared.items():
            yield f"    out{slot} = in{other}"
        for line in self.prelude:
            yield f"    {line}"
        totals = [slot for slot in self.outputs if self.forms[slot] == TOTAL]
        columns = [slot for slot in self.outputs if self.forms[slot] == COLUMN_TOTAL]
        if totals or columns or any(a.role == "scratch" for a in self.arguments):
            yield "    part = lo // chunk"
        for slot in totals:
            dtype = self.specs[slot].dtype
            yield f"    total{slot} = {self.start(slot, accumulated(dtype) if self.is_sum(slot) else dtype)}"
        if columns:
            yield "    for j in range(columns):"
            for slot in columns:
                yield f"        store_{self.specs[slot].dtype}(out{slot}, part * columns + j, {self.start(slot)})"
        once = self.levels.pop(ONCE, None)
        if once is not None:
            yield "    if lo == 0:"
            yield "        for j in range(columns):"
            yield from (f"            {line}" for line in once.body)
        if self.grid.flat:
            yield from self.flat_loop(totals)
        else:
            yield from self.row_loop()
        for slot in totals:
            yield f"    store_{self.argument(f'out{slot}').dtype}(out{slot}, part, total{slot})"

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
        yield "    for r in range(lo, hi):"
        yield "        at = r * columns"
        for number in sorted(self.levels):
            level = self.levels[number]
            yield from (f"        {line}" for line in level.before)
            if level.body:
                yield "        for j in range(columns):"
                yield from (f"            {line}" for line in level.body)
            yield from (f"        {line}" for line in level.after)

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

    def start(self, slot: int, dtype: np.dtype[Any] | None = None) -> str:
        """What a reduction begins with."""
        name = self.made[slot].primitive.name
        dtype = dtype or self.specs[slot].dtype
        if name in ("max", "min"):
            if dtype.kind == "f":
                return literal(-np.inf if name == "max" else np.inf, dtype)
            if dtype.kind == "b":
                return repr(name == "min")
            limits = np.iinfo(dtype)
            return literal(limits.min if name == "max" else limits.max, dtype)
        return {"prod": literal(1, dtype), "any": "False", "all": "True"}.get(name, literal(0, dtype))

    # Roots.

    def root(self, slot: int, level: int) -> None:
        equation, form = self.made[slot], self.forms[slot]
        if equation.primitive.name in REDUCTIONS:
            self.reduction(slot, equation, level)
        elif form == COLUMN:
            value = self.element(slot, level)
            self.levels[level].body.append(f"store_{self.specs[slot].dtype}(out{slot}, j, {value})")
        elif form == FULL:
            value = self.element(slot, level)
            if slot not in self.kept:
                self.levels[level].body.append(f"store_{self.specs[slot].dtype}(out{slot}, {self.here}, {value})")
        else:
            value = self.row_value(slot, level)
            self.levels[level].before.append(f"store_{self.specs[slot].dtype}(out{slot}, r, {value})")

    @property
    def here(self) -> str:
        return "r" if self.grid.flat else "at + j"

    def reduction(self, slot: int, equation: Equation, level: int) -> None:
        operand = equation.operands[0]
        assert isinstance(operand, int)
        form, dtype = self.forms[slot], self.specs[slot].dtype
        place = self.levels[level]
        if self.forms[operand] == ROW:
            value = cast(self.row_value(operand, level), self.specs[operand].dtype, dtype)
            (place.body if self.grid.flat else place.before).append(
                self.fold(equation, f"sum{slot}", value) if self.grid.flat else self.gather_total(slot, value)
            )
            return
        value = cast(self.element(operand, level), self.specs[operand].dtype, dtype)
        if form == COLUMN_TOTAL:
            at = f"out{slot}, part * columns + j"
            place.body.append(f"store_{dtype}({at}, load_{dtype}({at}) + {value})")
            return
        place.body.append(self.fold(equation, f"sum{slot}", value))
        if self.grid.flat:
            return
        place.before.append(f"sum{slot} = {self.start(slot)}")
        if form == TOTAL:
            place.after.append(self.gather_total(slot, f"sum{slot}"))
            return
        self.row_names[slot] = f"sum{slot}"
        if slot in self.outputs:
            place.after.append(f"store_{dtype}(out{slot}, r, sum{slot})")

    def fold(self, equation: Equation, name: str, value: str) -> str:
        function = FOLDS[equation.primitive.name]
        integer = equation.specs[0].dtype.kind in "iub"
        if function in "|&":
            return f"{name} = {name} {function} {value}"
        if integer and function in ("reduce_add", "reduce_multiply"):
            code = DTYPES[equation.specs[0].dtype]
            return f"{name} = {code}({name} {'+' if function == 'reduce_add' else '*'} {value})"
        return f"{name} = {function}({name}, {value})"

    def gather_total(self, slot: int, value: str) -> str:
        equation = self.made[slot]
        if self.is_sum(slot):
            code = DTYPES[accumulated(self.specs[slot].dtype)]
            return f"total{slot} += {code}({value})"
        return self.fold(equation, f"total{slot}", value)

    # Values.

    def element(self, slot: int, level: int) -> str:
        """The name of an element, computed in the loop of a level."""
        if self.is_number(slot) or self.forms[slot] in (ROW, SCALAR):
            return self.row_value(slot, level)
        found = self.names.get((slot, level))
        if found is None:
            found = self.names[slot, level] = f"v{slot}"
            self.levels[level].body.append(f"{found} = {self.computed(slot, level)}")
            if slot in self.kept and self.known_at[slot] == level:
                self.levels[level].body.append(
                    f"store_{self.specs[slot].dtype}({self.kept[slot]}, {self.kept_at(slot)}, {found})"
                )
        return found

    def kept_at(self, slot: int) -> str:
        return "at + j" if slot in self.outputs else "part * columns + j"

    def computed(self, slot: int, level: int) -> str:
        spec = self.specs[slot]
        if slot not in self.made:
            return f"load_{spec.dtype}(in{slot}, {self.place(slot)})"
        view = self.grid.views.get(slot)
        if view is not None:
            return f"load_{spec.dtype}(in{view.base}, {self.view_place(slot, view, 'j')})"
        if slot in self.kept and self.known_at[slot] < level:
            return f"load_{spec.dtype}({self.kept[slot]}, {self.kept_at(slot)})"
        return self.written(self.made[slot], lambda operand: self.element(operand, level))

    def written(self, equation: Equation, name: Any) -> str:
        """The expression of an equation."""
        if equation.primitive.name in PASSING:
            return str(name(equation.operands[0]))
        if equation.primitive.name == "place":
            index = self.index(equation, self.grid.columns)
            dtype = equation.specs[0].dtype
            return f"where(j == {index}, {name(equation.operands[0])}, {literal(0, dtype)})"
        texts = [name(o) if isinstance(o, int) else "" for o in equation.operands]
        operands = sub_specs(equation.operands, self.specs)
        return expression(equation.primitive.name, operands, texts, equation.primitive.operands, equation.specs[0])

    def row_value(self, slot: int, level: int) -> str:
        """The name of what is the same in a whole row, or in all of them."""
        found = self.row_names.get(slot)
        if found is None and self.is_number(slot):
            found = self.row_names[slot] = f"in{slot}"
        if found is None:
            found = self.row_names[slot] = f"v{slot}"
            if slot not in self.made:
                text = f"load_{self.specs[slot].dtype}(in{slot}, r)"
            elif self.made[slot].primitive.name == "pick":
                text = self.picked(self.made[slot], level)
            else:
                text = self.written(self.made[slot], lambda operand: self.row_value(operand, level))
            before = min(level, *(self.levels.keys() - {ONCE})) if slot not in self.made else level
            self.levels[before].before.append(f"{found} = {text}")
        return found

    def index(self, equation: Equation, length: int) -> str:
        """The name of a column that an index names in each row; one that is out of range leaves a mark."""
        slot = equation.operands[1]
        assert isinstance(slot, int)
        name = f"column{slot}"
        if name not in self.checked:
            self.checked.add(name)
            level = self.level(slot)
            raw = cast(self.row_value(slot, level), self.specs[slot].dtype, np.dtype(np.int64))
            place = self.levels[min(self.levels.keys() - {ONCE})] if slot not in self.made else self.levels[level]
            place.before += [
                f"{name} = where({raw} < 0, {raw} + columns, {raw})",
                f"if {name} < 0 or {name} >= columns:",
                "    store_int64(status, 0, i8(1))",
                f"    {name} = 0",
            ]
        return name

    def picked(self, equation: Equation, level: int) -> str:
        """One element of a row, computed by itself."""
        column = self.index(equation, self.grid.columns)
        slot = equation.operands[0]
        assert isinstance(slot, int)
        return self.lone(slot, column, level)

    def lone(self, slot: int, column: str, level: int) -> str:
        """The name of the element of a row in a column."""
        form, spec = self.forms[slot], self.specs[slot]
        if self.is_number(slot) or form in (ROW, SCALAR):
            return self.row_value(slot, level)
        found = f"v{slot}_{column}"
        if found in self.checked:
            return found
        if slot not in self.made:
            where = column if form == COLUMN else f"at + {column}"
            if form == OUTER:
                where = self.outer_place(slot).replace("j", column)
            text = f"load_{spec.dtype}(in{slot}, {where})"
        elif slot in self.grid.views:
            view = self.grid.views[slot]
            text = f"load_{spec.dtype}(in{view.base}, {self.view_place(slot, view, column)})"
        elif self.made[slot].primitive.name == "place":
            own = self.made[slot]
            assert isinstance(own.operands[0], int)
            value = self.row_value(own.operands[0], level)
            text = f"where({column} == {self.index(own, 0)}, {value}, {literal(0, spec.dtype)})"
        else:
            text = self.written(self.made[slot], lambda operand: self.lone(operand, column, level))
        self.checked.add(found)
        self.levels[level].before.append(f"{found} = {text}")
        return found

    def place(self, slot: int) -> str:
        """Where the element of an input lies."""
        form = self.forms[slot]
        if form == FULL:
            return self.here
        if form == COLUMN:
            return "j"
        if form == OUTER:
            return self.outer_place(slot)
        raise AssertionError(form)

    def outer_place(self, slot: int) -> str:
        """The place of an element that stretches along some of the row axes."""
        grid, spec = self.grid, self.specs[slot]
        padded = (*(1,) * (len(grid.shape) - spec.ndim), *spec.shape)
        inner = padded[grid.split :] == grid.inner and grid.columns > 1
        step = grid.columns if inner else 1
        terms: list[str] = []
        below = 1
        for axis in range(grid.split - 1, -1, -1):
            length = grid.outer[axis]
            if padded[axis] != 1:
                number = f"in{slot}_{axis}"
                row = "r" if below == 1 else f"r // {self.size(number + 'below', below)}"
                row = f"({row}) % {self.size(number + 'length', length)}" if axis else f"({row})"
                terms.append(f"{row} * {self.size(number + 'step', step)}")
                step *= length
            below *= length
        return " + ".join((*terms, *(("j",) if inner else ())))


    def view_place(self, slot: int, view: View, column: str) -> str:
        """The place of an element of a view."""
        grid = self.grid
        terms: list[str] = []
        below = 1
        for axis in range(grid.split - 1, -1, -1):
            length, step = grid.outer[axis], view.strides[axis]
            if step and length != 1:
                name = f"in{view.base}_{slot}_{axis}"
                row = "r" if below == 1 else f"r // {self.size(name + 'below', below)}"
                row = f"({row}) % {self.size(name + 'length', length)}" if axis else f"({row})"
                terms.append(f"{row} * {self.size(name + 'step', step)}")
            below *= length
        if grid.columns > 1 and view.strides[-1]:
            step = view.strides[-1]
            terms.append(column if step == 1 else f"{column} * {self.size(f'in{view.base}_{slot}_step', step)}")
        if view.offset:
            terms.append(self.size(f"in{view.base}_{slot}_start", view.offset))
        return " + ".join(terms) or "0"


def number(place: int, spec: Spec) -> str:
    """A number that comes in a word of the block."""
    if spec.kind == "array":
        return f"load_{spec.dtype}(pointer(block, {place}), 0)"
    if spec.dtype.kind == "f":
        return f"{'real64' if spec.dtype == np.float64 else 'real32'}(block, {place})"
    return cast(f"word(block, {place})", np.dtype(np.int64), spec.dtype)


def reads(tape: Tape) -> set[int]:
    """The slots that equations read."""
    return {o for equation in tape.equations for o in equation.operands if isinstance(o, int)}


__all__ = ["Argument", "Literal", "RowKernel", "Spec", "reads"]
