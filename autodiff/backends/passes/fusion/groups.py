"""Groups of operations that fit on one grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Any

from autodiff.backends.kernels.folds import reduces
from autodiff.backends.kernels.forms import PASSING, VIEWS, Grid, Shape, Unfit, grid_of, grid_with
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape

MOST = 200
"""Groups of more operations take too long to compile."""

SHARED = 2048
"""So many elements make an array that two groups read a reason to make them one on a CPU."""


class Unit:
    """Operations that run together: a group on a grid, or one operation that fits on none.

    Attributes:
        equations: in their order.
        results: what they make.
        operands: what they read and do not make.
        grid: on which they fit, if there is one.
        into: the group that it has become part of.
    """

    def __init__(self, equation: Equation) -> None:
        self.equations = [equation]
        self.results = set(equation.results)
        self.operands = {o for o in equation.operands if isinstance(o, int)}
        self.grid: Grid | None = None
        self.into: Unit | None = None

    def root(self) -> Unit:
        """The group that it has become part of."""
        unit = self
        while unit.into is not None:
            unit = unit.into
        if self.into is not None:
            self.into = unit  # the next one who asks has one step only
        return unit


class Fusion:
    """The groups of a tape.

    Args:
        tape: whose operations are put together.
        numbers: whether operations on single numbers are put in groups, too.
        shared: so many elements make an array that two groups read a reason to make them one.
        together: groups of so many elements at most are made one if they have the same shape.
        suits: whether operations on a grid may become one kernel.
    """

    def __init__(
        self,
        tape: Tape,
        numbers: bool = False,
        shared: int = SHARED,
        together: int = 0,
        suits: Callable[[Grid, Sequence[Equation]], bool] = lambda grid, equations: True,
    ) -> None:
        self.tape, self.numbers, self.shared, self.together, self.suits = tape, numbers, shared, together, suits
        self.specs: dict[int, Spec] = dict(enumerate(tape.specs))
        self.maker: dict[int, Unit] = {}
        self.units: list[Unit] = []
        self.order = {equation.results[0]: k for k, equation in enumerate(tape.equations) if equation.results}
        self.looking = {e.results[0]: e for e in tape.equations if e.primitive.name in VIEWS}
        self.across = [0] * (len(tape.equations) + 1)  # how many units begin before an operation and end at it or later
        for equation in tape.equations:
            self.take(equation)
        self.join_siblings()

    def join_siblings(self) -> None:
        """Make kernels one that read the same large array, or are small, and do not wait for each other."""
        readers: dict[Any, list[Unit]] = {}
        for unit in dict.fromkeys(u.root() for u in self.units):
            if unit.grid is not None:
                for slot in unit.grid.outside:
                    if self.specs[slot].shape == unit.grid.shape and self.specs[slot].size >= self.shared:
                        readers.setdefault(slot, []).append(unit)
                if prod(unit.grid.shape) <= self.together:
                    readers.setdefault(unit.grid.shape, []).append(unit)
        for units in readers.values():
            for first, second in pairwise(units):
                first, second = first.root(), second.root()
                if first.grid is None or second.grid is None or first.grid.shape != second.grid.shape:
                    continue
                waits = self.between(first, second) or self.between(second, first)
                if not (waits or self.reads(first, second) or self.reads(second, first)):
                    self.join(second, first)

    def reads(self, unit: Unit, other: Unit) -> bool:
        """Whether a unit reads what another one makes."""
        return other in self.producers(unit)

    def views(self, operands: Sequence[Operand]) -> list[Equation]:
        """The operations by which operands are views of what nobody looks at in another way, in their order."""
        found: dict[int, Equation] = {}
        for operand in operands:
            while isinstance(operand, int) and operand in self.looking:
                found[operand] = self.looking[operand]
                operand = found[operand].operands[0]
        return [found[slot] for slot in sorted(found, key=self.order.__getitem__)]

    def producers(self, unit: Unit) -> list[Unit]:
        """The units that make the operands of one, the latest first."""
        return self.makers(unit.operands)

    def makers(self, slots: Iterable[int]) -> list[Unit]:
        """The units that make values, the latest first."""
        made = [self.maker[slot] for slot in sorted(slots, reverse=True) if slot in self.maker]
        return list(dict.fromkeys([unit if unit.into is None else unit.root() for unit in made]))

    def take(self, equation: Equation) -> None:
        """Put one more operation into a unit."""
        unit = Unit(equation)
        self.units.append(unit)
        for slot in equation.results:
            self.maker[slot] = unit
        unit.grid = None if equation.primitive.name in VIEWS else alone(equation, self.specs, self.numbers)
        if unit.grid is None:
            return
        for other in self.producers(unit):
            if other.grid is not None:
                self.join(unit.root(), other)

    def join(self, unit: Unit, other: Unit) -> None:
        """Make two units one, if they fit on one grid and nothing lies between them."""
        if unit is other or len(unit.equations) + len(other.equations) > MOST or self.between(other, unit):
            return
        equations = sorted((*other.equations, *unit.equations), key=lambda e: self.order[e.results[0]])
        assert unit.grid is not None
        assert other.grid is not None
        later = len(unit.equations) == 1 and unit.equations[0] is equations[-1]
        for shape in dict.fromkeys((other.grid.shape, unit.grid.shape)):
            grid = grid_with(other.grid, equations[-1], self.specs) if later and shape == other.grid.shape else None
            try:
                grid = grid or grid_of(equations, self.specs, shape)
            except Unfit:
                continue
            if not self.suits(grid, equations):
                continue
            self.note(unit, -1)
            self.note(other, -1)
            unit.equations, unit.grid = equations, grid
            unit.results |= other.results
            unit.operands = (unit.operands | other.operands) - unit.results
            other.into = unit
            self.note(unit, 1)
            return

    def between(self, first: Unit, last: Unit) -> bool:
        """Whether a unit outside of both needs the first and is needed by the last."""
        begin, end = self.place(first.equations[0]), self.place(last.equations[0])
        own = end < begin <= self.place(last.equations[-1])  # the last one goes across that place itself
        apart = self.across[begin] == own
        waiting = [p for p in self.producers(last) if p not in (first, last)]
        seen = {last, *waiting}
        maker = self.maker
        while waiting:
            unit = waiting.pop()
            if apart and self.place(unit.equations[-1]) < begin:
                continue  # all that it does, and all that it needs, was done before
            for slot in unit.operands:  # in any order: long tapes are asked this very often
                needed = maker.get(slot)
                if needed is None:
                    continue
                if needed.into is not None:
                    needed = needed.root()
                if needed is first:
                    return True
                if needed not in seen:
                    seen.add(needed)
                    waiting.append(needed)
        return False

    def place(self, equation: Equation) -> int:
        """Which of the tape's operations it is; those without results come last, since nothing needs them."""
        return self.order[equation.results[0]] if equation.results else len(self.order)

    def note(self, unit: Unit, count: int) -> None:
        """Note that a unit goes across places, or that it does no more."""
        for place in range(self.place(unit.equations[0]) + 1, self.place(unit.equations[-1]) + 1):
            self.across[place] += count

    def ordered(self) -> list[Unit]:
        """The units, each after those whose results it needs."""
        done: dict[Unit, None] = {}
        for unit in dict.fromkeys(u.root() for u in self.units):
            waiting = [unit]
            while waiting:
                needed = [p for p in self.producers(waiting[-1]) if p not in done and p is not waiting[-1]]
                if waiting[-1] in done or not needed:
                    done.setdefault(waiting.pop())
                else:
                    waiting.extend(needed)
        return list(done)


def alone(equation: Equation, specs: Mapping[int, Spec], numbers: bool = False) -> Grid | None:
    """The grid of one operation by itself."""
    try:
        return lone_grid(equation, specs, numbers)
    except Unfit:
        return None


def lone_grid(equation: Equation, specs: Mapping[int, Spec], numbers: bool = False) -> Grid:
    """The grid of one operation by itself.

    Args:
        equation: the operation.
        specs: of its operands.
        numbers: whether single numbers are arrays of one element.

    Raises:
        Unfit: if there is none; of several reasons the first.
    """
    if len(equation.results) != 1:
        raise Unfit(f"{equation.primitive.name} gives {len(equation.results)} results")
    name, operand = equation.primitive.name, equation.operands[0] if equation.operands else None
    shapes: list[Shape] = [equation.specs[0].shape]
    if isinstance(operand, int) and (reduces(equation) or name in PASSING or name == "pick"):
        shapes.insert(name in PASSING, specs[operand].shape)
    reasons = []
    for shape in shapes:
        if (shape or (numbers and equation.specs[0].kind == "array")) and 0 not in shape:
            try:
                return grid_of([equation], specs, shape)
            except Unfit as reason:
                reasons.append(reason)
    raise reasons[0] if reasons else Unfit("an array without elements" if shapes[0] else "a single number")
