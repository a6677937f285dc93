"""The values of a kernel of rows as text: elements in loops over columns, and what is the same in a whole row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autodiff.backends.kernels.forms import COLUMN, FULL, OUTER, PASSING, ROW, SCALAR, View, sub_specs
from autodiff.backends.kernels.rows.blocks import place_of
from autodiff.backends.kernels.rows.schedule import ONCE, RowSchedule
from autodiff.backends.kernels.scalars import cast, expression, literal
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand


def operands_first(slot: int, operands: Callable[[int], tuple[Operand, ...]], make: Callable[[int], None]) -> None:
    """Make a value after all that it is made of, from left to right: however long the chain, nothing recurses."""
    waiting: list[tuple[int, Iterator[Operand]]] = [(slot, iter(operands(slot)))]
    while waiting:
        one, rest = waiting[-1]
        for operand in rest:
            if isinstance(operand, int):
                waiting.append((operand, iter(operands(operand))))
                break
        else:
            waiting.pop()
            make(one)


class RowValues(RowSchedule):
    """The same, with the text of every value: each is computed where it is first asked for in a loop."""

    @property
    def here(self) -> str:
        return "r" if self.grid.flat else "at + j"

    def element(self, slot: int, level: int) -> str:
        """The name of an element, computed in the loop of a level."""
        if self.is_of_row(slot):
            return self.row_value(slot, level)
        found = self.names.get((slot, level))
        if found is None:
            operands_first(slot, lambda each: self.element_operands(each, level), lambda each: self.make(each, level))
            found = self.names[slot, level]
        return found

    def element_operands(self, slot: int, level: int) -> tuple[Operand, ...]:
        """What an element is computed of where it is not there yet."""
        equation = self.made.get(slot)
        if equation is None or self.is_of_row(slot) or (slot, level) in self.names:
            return ()
        if (slot in self.kept and self.known_at[slot] < level) or slot in self.grid.views:
            return ()
        if equation.primitive.name == "place":
            return () if level in self.zeros else equation.operands[:1]
        return equation.operands

    def make(self, slot: int, level: int) -> None:
        """Write down an element whose operands are there."""
        if self.is_of_row(slot):
            self.row_value(slot, level)
        elif (slot, level) not in self.names:
            found = self.names[slot, level] = f"v{slot}"
            self.levels[level].body.append(f"{found} = {self.computed(slot, level)}")
            if slot in self.kept and self.known_at[slot] == level:
                self.levels[level].body.append(
                    f"store_{self.specs[slot].dtype}({self.kept[slot]}, {self.kept_at(slot)}, {found})"
                )

    def kept_at(self, slot: int, column: str = "j") -> str:
        """Where an element is kept between two loops."""
        if slot in self.outputs:
            return f"at + {column}"
        return place_of(column, self.columns_text) if self.blocks else f"part * {self.columns_text} + {column}"

    def computed(self, slot: int, level: int) -> str:
        spec = self.specs[slot]
        if slot in self.kept and self.known_at[slot] < level:
            return f"load_{spec.dtype}({self.kept[slot]}, {self.kept_at(slot)})"
        if slot not in self.made:
            return f"load_{spec.dtype}(in{slot}, {self.place(slot)})"
        view = self.grid.views.get(slot)
        if view is not None:
            return f"load_{spec.dtype}(in{view.base}, {self.view_place(slot, view, 'j')})"
        if level in self.zeros and self.made[slot].primitive.name == "place":
            return literal(0, spec.dtype)
        return self.written(self.made[slot], lambda operand: self.element(operand, level))

    def written(self, equation: Equation, name: Any) -> str:
        """The expression of an equation."""
        if equation.primitive.name in PASSING:
            (given,) = equation.operands
            return str(name(given)) if isinstance(given, int) else literal(given.value, equation.specs[0].dtype)
        if equation.primitive.name == "place":
            index = self.index(equation, self.grid.columns)
            dtype = equation.specs[0].dtype
            return f"where(j == {index}, {name(equation.operands[0])}, {literal(0, dtype)})"
        texts = [name(o) if isinstance(o, int) else "" for o in equation.operands]
        operands = sub_specs(equation.operands, self.specs)
        return expression(equation.primitive, operands, texts, equation.specs[0])

    def row_value(self, slot: int, level: int) -> str:
        """The name of what is the same in a whole row, or in all of them."""
        if slot not in self.row_names:
            operands_first(slot, self.row_operands, lambda each: self.make_row_value(each, level))
        return self.row_names[slot]

    def row_operands(self, slot: int) -> tuple[Operand, ...]:
        """What a value of a row is computed of where it is not there yet."""
        if slot in self.row_names or slot not in self.made or self.made[slot].primitive.name == "pick":
            return ()
        return self.made[slot].operands

    def make_row_value(self, slot: int, level: int) -> None:
        """Write down a value of a row whose operands are there."""
        if slot in self.row_names:
            return
        if self.is_number(slot):
            self.row_names[slot] = f"in{slot}"
            return
        found = self.row_names[slot] = f"v{slot}"
        if slot not in self.made:
            text = f"load_{self.specs[slot].dtype}(in{slot}, r)"
        elif self.made[slot].primitive.name == "pick":
            text = self.picked(self.made[slot], level)
        else:
            text = self.written(self.made[slot], lambda operand: self.row_value(operand, level))
        before = min(level, *(self.levels.keys() - {ONCE})) if slot not in self.made else level
        self.levels[before].before.append(f"{found} = {text}")

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
            place.before.append(f"{name} = where({raw} < 0, {raw} + {self.columns_text}, {raw})")
            place.before += self.out_of_range(name)
        return name

    def out_of_range(self, name: str) -> list[str]:
        """What leaves a mark if a column is out of range, and takes another one."""
        if self.blocks:
            outside = f"({name} < 0) | ({name} >= {self.columns_text})"
            return [f"outside = outside | ({outside})", f"{name} = where({outside}, 0, {name})"]
        return [
            f"if {name} < 0 or {name} >= {self.columns_text}:",
            "    store_int64(status, 0, i8(1))",
            f"    {name} = 0",
        ]

    def picked(self, equation: Equation, level: int) -> str:
        """One element of a row, computed by itself."""
        column = self.index(equation, self.grid.columns)
        slot = equation.operands[0]
        assert isinstance(slot, int)
        return self.lone(slot, column, level)

    def lone(self, slot: int, column: str, level: int) -> str:
        """The name of the element of a row in a column."""
        operands_first(
            slot, lambda each: self.lone_operands(each, column, level), lambda each: self.make_lone(each, column, level)
        )
        return self.row_value(slot, level) if self.is_of_row(slot) else f"v{slot}_{column}"

    def is_of_row(self, slot: int) -> bool:
        """Whether a value is the same in a whole row."""
        return self.is_number(slot) or self.forms[slot] in (ROW, SCALAR)

    def lone_operands(self, slot: int, column: str, level: int) -> tuple[Operand, ...]:
        """What the element of a row in a column is computed of, where it is not there yet."""
        equation = self.made.get(slot)
        if equation is None or self.is_of_row(slot) or f"v{slot}_{column}" in self.checked:
            return ()
        kept = slot in self.kept and self.known_at[slot] < level and not self.blocks
        return () if kept or slot in self.grid.views or equation.primitive.name == "place" else equation.operands

    def make_lone(self, slot: int, column: str, level: int) -> None:
        """Write down the element of a row in a column, whose operands are there."""
        form, spec = self.forms[slot], self.specs[slot]
        found = f"v{slot}_{column}"
        if self.is_of_row(slot):
            self.row_value(slot, level)
            return
        if found in self.checked:
            return
        if slot in self.kept and self.known_at[slot] < level and not self.blocks:
            text = f"load_{spec.dtype}({self.kept[slot]}, {self.kept_at(slot, column)})"
        elif slot not in self.made:
            where = column if form == COLUMN else f"at + {column}"
            if form == OUTER:
                where = self.outer_place(slot, column)
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

    def outer_place(self, slot: int, column: str = "j") -> str:
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
        return " + ".join((*terms, *((column,) if inner else ())))

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
