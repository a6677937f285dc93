"""Elements of values as text, in loops over the rows and columns of a matrix of a stack."""

from __future__ import annotations

from collections.abc import Callable

from autodiff.backends.kernels.forms import sub_specs
from autodiff.backends.kernels.places import MOVING, Place, operand_places, strides, variables
from autodiff.backends.kernels.scalars import expression
from autodiff.trace.tape import Equation, Tape

ROW, COLUMN = "i", "j"
"""The variables of a loop over rows, and of one over the columns of a row; others say which matrix it is."""


class Elements:
    """The values of a tape in one pair of loops: each is computed in the outermost loop that knows it.

    Args:
        tape: whose values are asked for.
        name: gives names that nobody has.
        found: what is known otherwise: text by slot and place.

    Attributes:
        before: lines before the loops.
        rows: lines in the loop over rows, before the one over columns.
        columns: lines in the loop over columns.
    """

    def __init__(self, tape: Tape, name: Callable[[str], str]) -> None:
        self.specs = dict(enumerate(tape.specs))
        self.made = {slot: equation for equation in tape.equations for slot in equation.results}
        self.name = name
        self.found: dict[tuple[int, Place], str] = {}
        self.bases: dict[tuple[int, str], str] = {}
        self.before: list[str] = []
        self.rows: list[str] = []
        self.columns: list[str] = []

    def element(self, slot: int, place: Place) -> str:
        """The name of an element.

        Raises:
            Unfit: if an operation does not work element by element.
        """
        known = self.found.get((slot, place))
        if known is None:
            equation = self.made.get(slot)
            if equation is None:
                written = self.loaded(slot, place)
            elif equation.primitive.name in MOVING:
                ((operand, there),) = operand_places(equation, place, self.specs)
                known = self.element(operand, there)
            else:
                written = self.computed(equation, place)
            if known is None:
                known = self.name("v")
                self.lines(place).append(f"{known} = {written}")
            self.found[slot, place] = known
        return known

    def lines(self, place: Place) -> list[str]:
        """Where what a place needs is computed."""
        needed = variables(place)
        return self.columns if COLUMN in needed else self.rows if ROW in needed else self.before

    def computed(self, equation: Equation, place: Place) -> str:
        """The expression of an operation on elements."""
        read = operand_places(equation, place, self.specs)
        texts = [self.element(*next(read)) if isinstance(o, int) else "" for o in equation.operands]
        operands = sub_specs(equation.operands, self.specs)
        return expression(equation.primitive, operands, texts, equation.specs[0])

    def loaded(self, slot: int, place: Place) -> str:
        """An element of an input."""
        steps, _ = strides(self.specs[slot].shape, place)
        return f"load_{self.specs[slot].dtype}({self.base(slot, place)}, {sums(steps, (ROW, COLUMN))})"

    def base(self, slot: int, place: Place) -> str:
        """The address from which the elements of one matrix are counted."""
        size = self.specs[slot].dtype.itemsize
        steps, first = strides(self.specs[slot].shape, place)
        outer = {name: step * size for name, step in steps.items() if name not in (ROW, COLUMN)}
        moved = sums(outer, tuple(outer), first * size)
        if moved == "0":
            return f"in{slot}"
        if (slot, moved) not in self.bases:
            self.bases[slot, moved] = self.name("b")
            self.before.append(f"{self.bases[slot, moved]} = shifted(in{slot}, {moved})")
        return self.bases[slot, moved]


def sums(steps: dict[str, int], names: tuple[str, ...], first: int = 0) -> str:
    """A place in memory as text."""
    terms = [name if steps[name] == 1 else f"{name} * {steps[name]}" for name in names if steps.get(name)]
    return " + ".join((*terms, *([str(first)] if first or not terms else [])))


def looped(elements: Elements, rows: str, columns: int, ends: list[str] | None = None) -> list[str]:
    """The loops."""
    lines = [*elements.before, f"for {ROW} in range({rows}):", *indented(elements.rows)]
    if elements.columns:
        lines += [f"    for {COLUMN} in range({columns}):", *indented(elements.columns, 2)]
    return [*lines, *indented(ends or [])]


def indented(lines: list[str], depth: int = 1) -> list[str]:
    """The lines, so many steps further in."""
    return ["    " * depth + line for line in lines]
