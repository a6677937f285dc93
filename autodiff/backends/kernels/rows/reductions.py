"""Reductions in a kernel of rows: over the columns of a row, over rows in each column, and over everything.

Rounding errors of long sums grow with the number of terms that are added one after another. So no more than some rows
are added to one sum, before that is added to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backends.kernels.folds import beginning, fold_of, folded
from autodiff.backends.kernels.forms import COLUMN_TOTAL, ROW, TOTAL
from autodiff.backends.kernels.rows.schedule import Argument, Level
from autodiff.backends.kernels.rows.values import RowValues
from autodiff.backends.kernels.scalars import DTYPES, cast
from autodiff.trace.tape import Equation

MANY, ROWS = 512, 128
"""From so many rows on sums over rows are made of those of so many."""


def accumulated(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which a total is kept."""
    return np.dtype(np.float64 if dtype.kind == "f" else np.int64 if dtype.kind in "iub" else dtype)


class RowReductions(RowValues):
    """The same, with the text of reductions."""

    carried: set[int]
    """The sums in each column of which the rounding errors are kept."""

    def slots_of(self, form: str) -> list[int]:
        """The results of a form."""
        return [slot for slot in self.outputs if self.forms[slot] == form]

    def start(self, slot: int, dtype: np.dtype[Any] | None = None) -> str:
        """What a reduction begins with."""
        return beginning(fold_of(self.made[slot]), dtype or self.specs[slot].dtype)

    def reduction(self, slot: int, equation: Equation, level: int) -> None:
        operand = equation.operands[0]
        assert isinstance(operand, int)
        form, dtype = self.forms[slot], self.specs[slot].dtype
        place = self.levels[level]
        if self.forms[operand] == ROW:
            value = cast(self.row_value(operand, level), self.specs[operand].dtype, dtype)
            (place.body if self.grid.flat else place.before).append(
                self.fold(equation, f"sum{slot}", value) if self.grid.flat else self.gather_row(slot, value)
            )
            return
        value = cast(self.element(operand, level), self.specs[operand].dtype, dtype)
        if form == COLUMN_TOTAL:
            if self.blocks:
                self.over_rows(slot, value, self.added(slot, f"sum{slot}"), place)
            else:
                some = "some" if slot in self.carried else "out"
                place.body.append(self.stored(some, slot, f"{self.loaded(some, slot)} + {value}"))
            return
        if form == TOTAL and self.blocks:
            self.over_rows(slot, value, [self.gather_total(slot, f"sum{slot}")], place)
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

    def over_rows(self, slot: int, value: str, gather: Sequence[str], place: Level) -> None:
        """A reduction over the rows of a block, in each column."""
        place.begin.append(f"sum{slot} = {self.start(slot)}")
        place.body.append(self.fold(self.made[slot], f"sum{slot}", value))
        place.end.extend(gather)

    def fold(self, equation: Equation, name: str, value: str) -> str:
        return f"{name} = {folded(fold_of(equation), name, value, equation.specs[0].dtype)}"

    # Sums over many rows, in each column.

    def is_real_sum(self, slot: int) -> bool:
        """Whether a result is a sum of floating-point numbers."""
        return self.is_sum(slot) and self.specs[slot].dtype.kind == "f"

    def carries(self) -> set[int]:
        """Sums in each column of which the errors are kept too; what they and blocks of rows need gets its memory."""
        if self.grid.flat or self.grid.rows < MANY:
            return set()
        found = {slot for slot in self.slots_of(COLUMN_TOTAL) if self.is_real_sum(slot)}
        for slot in sorted(found):
            for name in ("rest",) if self.blocks else ("rest", "some"):
                dtype = self.specs[slot].dtype
                self.arguments.append(Argument(f"{name}{slot}", "scratch", dtype=dtype, value=self.grid.columns))
        return found

    def stored(self, name: str, slot: int, value: str) -> str:
        return f"store_{self.specs[slot].dtype}({name}{slot}, part * {self.columns_text} + j, {value})"

    def loaded(self, name: str, slot: int) -> str:
        return f"load_{self.specs[slot].dtype}({name}{slot}, part * {self.columns_text} + j)"

    def added(self, slot: int, value: str) -> list[str]:
        """Some rows' sum added to that of all, of which the rounding error is added to another sum."""
        if slot not in self.carried:
            return [self.stored("out", slot, f"{self.loaded('out', slot)} + {value}")]
        x, y, z, s = (f"{letter}{slot}" for letter in "xyzs")
        return [
            f"{x} = {self.loaded('out', slot)}",
            f"{y} = {value}",
            f"{s} = {x} + {y}",
            f"{z} = {s} - {x}",
            self.stored("rest", slot, f"{self.loaded('rest', slot)} + (({x} - ({s} - {z})) + ({y} - {z}))"),
            self.stored("out", slot, s),
        ]

    def completed(self, slot: int) -> list[str]:
        """The sum with its errors; those of infinite sums are NaN, and mean nothing."""
        x, s = f"x{slot}", f"s{slot}"
        return [
            f"{x} = {self.loaded('rest', slot)}",
            f"{s} = {self.loaded('out', slot)}",
            self.stored("out", slot, f"where({x} == {x}, {s} + {x}, {s})"),
        ]

    def gather_row(self, slot: int, value: str) -> str:
        """What a row adds to a total."""
        if self.blocks and self.is_sum(slot):
            kind = accumulated(self.specs[slot].dtype)
            return f"total{slot} = reduce_add(total{slot}, {cast(value, self.specs[slot].dtype, kind)})"
        return self.gather_total(slot, value)

    def partial_totals(self) -> list[int]:
        """Totals of so many rows that sums of some rows are added to them."""
        if self.grid.flat or self.blocks or self.grid.rows < MANY:
            return []
        return [slot for slot in self.slots_of(TOTAL) if self.is_real_sum(slot)]

    def gather_total(self, slot: int, value: str) -> str:
        equation = self.made[slot]
        if self.is_sum(slot):
            code = DTYPES[accumulated(self.specs[slot].dtype)]
            return f"{'some' if slot in self.partial_totals() else 'total'}{slot} += {code}({value})"
        return self.fold(equation, f"total{slot}", value)
