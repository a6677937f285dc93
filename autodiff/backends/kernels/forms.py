"""How the values of several operations lie on one grid of rows and columns.

A kernel of rows runs over a grid: the leading axes of a shape together are its rows, the others its columns. Every
value is then of one of four forms: it differs from element to element (*full*), from row to row (*row*), from column to
column (*column*), or not at all (*scalar*). A reduction over the columns turns full into row; over everything, or over
the rows, it gives a total that is known when the kernel is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.folds import reduces
from autodiff.backends.kernels.scalars import CONVERTING, DTYPES, HALVES, costly, storable, unsupported
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Literal

Shape = tuple[int, ...]

FULL, ROW, COLUMN, SCALAR, OUTER, BASE = "full", "row", "column", "scalar", "outer", "base"
"""Forms; *outer* are values from outside that stretch along some of the row axes, *base* arrays of which views are
read."""

VIEWS = {"transpose", "slice_of"}
"""Operations that look at memory in another way: kernels read through them."""

TOTAL, COLUMN_TOTAL = "total", "column total"
"""Forms of results that are known when the kernel is done."""

PASSING = {"reshape", "broadcast_to"}


class Unfit(Exception):
    """An operation does not fit on a grid; the text says why."""


FAR = 16
"""Elements of one column that are so far apart lie in lines of the cache of their own."""


class Grid:
    """A shape whose first ``split`` axes are rows, and the forms of values on it.

    Args:
        shape: of the grid.
        split: how many of its axes are rows.
        columns_first: whether what may lie along the rows or along the columns lies along the columns.

    Attributes:
        forms: of each slot.
        outside: the slots that come from outside of the kernel.
    """

    def __init__(self, shape: Shape, split: int, columns_first: bool = False) -> None:
        self.shape, self.split, self.columns_first = shape, split, columns_first
        self.outer, self.inner = shape[:split], shape[split:]
        self.rows, self.columns = prod(self.outer), prod(self.inner)
        self.forms: dict[int, str] = {}
        self.outside: set[int] = set()
        self.views: dict[int, View] = {}

    @property
    def flat(self) -> bool:
        """Whether there is one element to a row."""
        return self.split == len(self.shape)

    @property
    def turned(self) -> bool:
        """Whether a value is read along its columns, far apart, where the last axis runs."""
        return (
            bool(self.shape)
            and self.shape[-1] >= FAR
            and any(abs(view.strides[-1]) >= FAR for view in self.views.values())
        )

    @property
    def broken(self) -> bool:
        """Whether a value is read from several lines of memory, as a slice is: each element computes its place then."""
        return (
            len(self.shape) > 1
            and self.shape[-1] >= FAR
            and any(
                len(view.strides) == len(self.shape) and not joined(view.strides, self.shape)
                for view in self.views.values()
            )
        )

    @property
    def better_by_rows(self) -> bool:
        """Whether there is one element to a row, and rows of the last axis would be read more easily."""
        return self.flat and (self.turned or self.broken)

    def copy(self) -> Grid:
        """A grid with the same values, to which others can be added."""
        made = Grid(self.shape, self.split, self.columns_first)
        made.forms, made.outside, made.views = self.forms.copy(), self.outside.copy(), self.views.copy()
        return made

    def add(self, equation: Equation, specs: Mapping[int, Spec]) -> None:
        """Give the results of one more operation their forms.

        Raises:
            Unfit: if it does not fit; nothing is changed then.
        """
        found: dict[int, str] = {}
        out = equation.specs[0]
        name = equation.primitive.name
        viewed = name in VIEWS and out.dtype.name in HALVES
        if not (storable(name, out.dtype) or viewed) or len(equation.results) != 1:
            raise Unfit(f"kernels know no {out.dtype.name}")
        if reduces(equation):
            form = self.reduced(equation, specs, found)
        elif name in PASSING:
            form = self.passed(equation, specs, found)
        elif name in VIEWS:
            form = self.viewed(equation, specs, found)
        elif name in ("pick", "place"):
            form = self.picked(equation, specs, found)
        elif equation.primitive.family == "elementwise":
            form = self.elementwise(equation, specs, found)
        else:
            raise Unfit(f"{name} is no operation of single elements")
        for slot, own in found.items():
            if slot not in self.forms:
                self.outside.add(slot)
            self.forms[slot] = own
        self.forms[equation.results[0]] = form

    def elementwise(self, equation: Equation, specs: Mapping[int, Spec], found: dict[int, str]) -> str:
        operands = [specs[o] if isinstance(o, int) else o.value for o in equation.operands]
        reason = unsupported(equation.primitive, operands, equation.specs[0])
        if reason:
            raise Unfit(reason)
        inside = [self.forms.get(o) for o in equation.operands if isinstance(o, int)]
        target = self.target(equation.specs[0].shape, inside)
        if target == COLUMN and self.rows > 1 and costly(equation.primitive, operands, equation.specs[0]):
            raise Unfit("a function of the columns alone, which every row would compute again")
        for operand in equation.operands:
            if isinstance(operand, int):
                self.place(operand, specs[operand], equation.specs[0].shape, target, found)
        return target

    def target(self, shape: Shape, inside: Sequence[str | None]) -> str:
        """The form of an elementwise result."""
        if shape == self.shape:
            return FULL
        either = self.columns_first and ROW not in inside and shape in self.column_shapes()
        if shape in self.row_shapes() and COLUMN not in inside and not either:
            return ROW
        if shape in self.column_shapes() and ROW not in inside:
            return COLUMN
        raise Unfit(f"the shape {shape} does not lie on the grid {self.outer} x {self.inner}")

    def row_shapes(self) -> tuple[Shape, ...]:
        return self.outer, (*self.outer, *(1,) * len(self.inner))

    def column_shapes(self) -> tuple[Shape, ...]:
        if not self.inner:
            return ()
        return tuple((*(1,) * k, *self.inner) for k in range(self.split + 1))

    def place(self, slot: int, spec: Spec, out: Shape, target: str, found: dict[int, str]) -> None:
        """The form of an operand that is broadcast to a shape.

        Raises:
            Unfit: if it is known by another form.
        """
        if spec.dtype not in DTYPES and spec.dtype.name not in HALVES:
            raise Unfit(f"kernels know no {spec.dtype.name}")
        form = self.form(spec.shape, out, target)
        known = found.get(slot) or self.forms.get(slot)
        if known in (TOTAL, COLUMN_TOTAL):
            raise Unfit("a total is known when the kernel is done")
        if known == BASE and slot in self.outside:  # it is looked at in two ways
            if form == SCALAR:
                raise Unfit("a view of a single number")
            found[slot], known = form, None
        if known is not None and known != form and not self.spread(known, spec.shape, target):
            raise Unfit(f"one operand is {known} and {form} at once")
        found.setdefault(slot, known or form)

    def spread(self, known: str, shape: Shape, target: str) -> bool:
        """Whether a value of a form may stand where its shape says another one."""
        return known == SCALAR or (target == FULL and shape == self.shape)

    def form(self, shape: Shape, out: Shape, target: str) -> str:
        """The form that a shape has beside results of a form."""
        if all(length == 1 for length in shape):
            return SCALAR
        if target == ROW:
            return self.demanded(shape == out, ROW, shape)
        if target == COLUMN:
            return self.demanded(prod(shape) == self.columns, COLUMN, shape)
        if shape == self.shape:
            return FULL
        padded = (*(1,) * (len(out) - len(shape)), *shape)
        outer, inner = padded[: self.split], padded[self.split :]
        if inner == self.inner and all(length == 1 for length in outer):
            return COLUMN if self.inner else SCALAR
        if outer == self.outer and all(length == 1 for length in inner):
            return ROW
        if inner == self.inner or all(length == 1 for length in inner):
            return OUTER
        raise Unfit(f"an operand of shape {shape} does not lie on the grid {self.outer} x {self.inner}")

    def demanded(self, holds: bool, form: str, shape: Shape) -> str:
        if not holds:
            raise Unfit(f"an operand of shape {shape} does not lie on the grid {self.outer} x {self.inner}")
        return form

    def passed(self, equation: Equation, specs: Mapping[int, Spec], found: dict[int, str]) -> str:
        """The form of a value that only changes its shape."""
        (slot,) = equation.operands
        shape = equation.specs[0].shape
        if not isinstance(slot, int):
            if shape == self.shape:
                return FULL
            if shape in self.row_shapes():
                return ROW
            raise Unfit("a number that is spread along the rows")
        known = self.forms.get(slot)
        given = specs[slot]
        if given.dtype not in DTYPES:
            raise Unfit(f"kernels know no {given.dtype.name}")
        if known in (None, ROW) and shape in self.row_shapes() and given.shape in self.row_shapes():
            found[slot] = ROW
            return ROW
        if known == FULL and shape == self.shape:
            return FULL
        one = known in (None, SCALAR) and all(length == 1 for length in given.shape)
        if one and equation.primitive.name == "broadcast_to" and shape in self.row_shapes() and shape != self.shape:
            found[slot] = SCALAR
            return ROW
        if equation.primitive.name == "broadcast_to" and shape == self.shape:
            self.place(slot, specs[slot], shape, FULL, found)
            return FULL
        raise Unfit(f"{equation.primitive.name} to {shape} does not stay on the grid")

    def viewed(self, equation: Equation, specs: Mapping[int, Spec], found: dict[int, str]) -> str:
        """The form of a view of a value from outside, which fills the grid."""
        (slot,) = equation.operands
        out = equation.specs[0]
        fills = isinstance(slot, int) and out.shape == self.shape and specs[slot].kind == "array"
        if not fills and slot not in self.views and not (isinstance(slot, int) and slot not in self.forms):
            raise Unfit(f"{equation.primitive.name} inside of a kernel")
        if not isinstance(slot, int) or (slot in self.forms and slot not in self.outside and slot not in self.views):
            raise Unfit(f"{equation.primitive.name} of what a kernel computes")
        if self.forms.get(slot) == SCALAR:
            raise Unfit("a view of a single number")
        above = self.views.get(slot)
        base, given, offset = (slot, None, 0) if above is None else (above.base, above, above.offset)
        shape = specs[slot].shape
        strides = steps(shape) if given is None else given.strides
        before = np.lib.stride_tricks.as_strided(np.empty(0, np.int8), shape, strides)
        after = equation.primitive.evaluate(before, **dict(equation.params))
        if not isinstance(after, np.ndarray):
            raise Unfit("a view of one element")
        moved = after.__array_interface__["data"][0] - before.__array_interface__["data"][0]
        if self.columns > 1 and len(self.inner) > 1 and not joined(after.strides[self.split :], self.inner):
            raise Unfit("a view whose columns do not lie on one line")
        self.views[equation.results[0]] = View(base, after.strides, offset + moved)
        if above is None and slot not in self.forms:
            found[slot] = BASE
        return FULL if out.shape == self.shape else BASE

    def picked(self, equation: Equation, specs: Mapping[int, Spec], found: dict[int, str]) -> str:
        """The form of one element picked from each row, and of rows with one element in its place."""
        first, index = equation.operands
        name, shape = equation.primitive.name, equation.specs[0].shape
        whole = specs[first].shape if name == "pick" and isinstance(first, int) else shape
        lone = (*self.outer, 1)
        if whole != self.shape or len(self.inner) != 1 or dict(equation.params)["axis"] != -1:
            raise Unfit(f"{name} along an axis that is not the columns")
        for operand, wanted in ((first, FULL if name == "pick" else ROW), (index, ROW)):
            if not isinstance(operand, int) or specs[operand].dtype not in DTYPES:
                raise Unfit(f"{name} of a number")
            if wanted == ROW and specs[operand].shape != lone:
                raise Unfit(f"{name} of more than one element of a row")
            known = found.get(operand) or self.forms.get(operand)
            if known not in (None, wanted):
                raise Unfit(f"{name} of a value that is {known}")
            found[operand] = wanted
        return ROW if name == "pick" else FULL

    def reduced(self, equation: Equation, specs: Mapping[int, Spec], found: dict[int, str]) -> str:
        """The form of a reduction."""
        (slot,) = equation.operands
        if not isinstance(slot, int):
            raise Unfit("the reduction of a number")
        given = specs[slot]
        axes = sorted(a % given.ndim for a in dict(equation.params)["axes"])
        known = self.forms.get(slot)
        whole = len(axes) == given.ndim
        if known == ROW and whole:
            return TOTAL
        if given.shape != self.shape or known not in (None, FULL):
            raise Unfit("a reduction of what does not fill the grid")
        if given.dtype not in DTYPES:
            raise Unfit(f"kernels know no {given.dtype.name}")
        if known is None:
            found[slot] = FULL
        if whole:
            return TOTAL
        if axes == list(range(self.split, given.ndim)):
            return ROW
        if axes == list(range(self.split)) and equation.primitive.name in ("sum", "sum_as"):
            return COLUMN_TOTAL
        if axes == list(range(self.split)):
            raise Unfit(f"{equation.primitive.name} over the rows, where only sums are")
        raise Unfit(f"a reduction over the axes {tuple(axes)} on the grid {self.outer} x {self.inner}")


@dataclass(frozen=True)
class View:
    """Where the elements of a view lie in memory.

    Attributes:
        base: the slot of the array that is looked at.
        strides: in elements.
        offset: of the first element.
    """

    base: int
    strides: tuple[int, ...]
    offset: int


def steps(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of an array in C order."""
    return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))


def joined(strides: Sequence[int], shape: Shape) -> bool:
    """Whether several axes are one line in memory."""
    return all(first == own * length for first, own, length in zip(strides, strides[1:], shape[1:], strict=False))


def splits(equations: Sequence[Equation], specs: Mapping[int, Spec], shape: Shape) -> list[int]:
    """Where the axes of a grid may be split, the best first: where reductions say so, else all axes are rows."""
    found = [len(shape)]
    for equation in equations:
        if reduces(equation) and isinstance(equation.operands[0], int):
            given = specs[equation.operands[0]]
            axes = sorted(a % given.ndim for a in dict(equation.params)["axes"])
            if given.shape == shape and len(axes) < given.ndim:
                if axes == list(range(given.ndim - len(axes), given.ndim)):
                    found.append(given.ndim - len(axes))
                elif axes == list(range(len(axes))):
                    found.append(len(axes))
        elif equation.primitive.name in ("pick", "place"):
            found.append(len(shape) - 1)
    best = found[1:] or found[:1]
    return list(dict.fromkeys((*best, len(shape), *range(len(shape) - 1, -1, -1))))


def grid_of(equations: Sequence[Equation], specs: Mapping[int, Spec], shape: Shape) -> Grid:
    """The grid of a shape on which all the operations fit.

    Raises:
        Unfit: if there is none; it says why the best way to split the axes is none.
    """
    reasons: list[Unfit] = []
    fitting = []
    converting = any(equation.primitive.name in CONVERTING for equation in equations)
    for split, columns_first in product(splits(equations, specs, shape), (False, True) if converting else (False,)):
        grid = Grid(shape, split, columns_first)
        try:
            for equation in equations:
                grid.add(equation, specs)
        except Unfit as found:
            reasons.append(found)
            continue
        if OUTER not in grid.forms.values() and not grid.better_by_rows:
            return grid
        fitting.append(grid)
    if not fitting:
        raise reasons[0]
    return next((grid for grid in fitting if not grid.flat), fitting[0])


def grid_with(grid: Grid, equation: Equation, specs: Mapping[int, Spec]) -> Grid | None:
    """What :func:`grid_of` finds for the operations of a grid and one after them, without looking at these again.

    An operation that has no say in how the axes are split cannot make a split fit that did not fit without it. So if it
    fits on the grid that was found, that is the first one again.

    Returns:
        None where the grid may be another one.
    """
    name = equation.primitive.name
    if reduces(equation) or name in CONVERTING or name in ("pick", "place") or OUTER in grid.forms.values():
        return None
    found = grid.copy()
    try:
        found.add(equation, specs)
    except Unfit:
        return None
    return None if OUTER in found.forms.values() or found.better_by_rows else found


def sub_specs(operands: Sequence[Any], specs: Mapping[int, Spec] | Sequence[Spec]) -> list[Any]:
    """The specs of operands, and the numbers among them."""
    return [specs[o] if isinstance(o, int) else o.value if isinstance(o, Literal) else spec_of(o) for o in operands]
