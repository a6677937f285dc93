"""Which operations become one kernel: a tape with kernels in the places of what they fuse.

Operations are taken in their order. Each joins the group of one of its operands if it fits on the group's grid
(:mod:`autodiff.backends.kernels.forms`) and nothing outside of the group would then wait for the group and be waited for at
once; groups that meet in it become one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autodiff.backends.kernels.call import row_kernel
from autodiff.backends.kernels.forms import PASSING, REDUCTIONS, Grid, Shape, Unfit, grid_of
from autodiff.backends.kernels.scalars import costly
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Operand, Tape

MOST = 200
"""Groups of more operations take too long to compile."""
FEW, MANY = 2048, 65536
"""So many elements make a kernel of one costly operation worth its call, and of one that moves memory."""


class Unit:
    """Operations that run together: a group on a grid, or one operation that fits on none."""

    def __init__(self, equation: Equation) -> None:
        self.equations = [equation]
        self.grid: Grid | None = None
        self.into: Unit | None = None

    def root(self) -> Unit:
        """The group that it has become part of."""
        unit = self
        while unit.into is not None:
            unit = unit.into
        return unit


class Fusion:
    """The groups of a tape."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.specs: dict[int, Spec] = dict(enumerate(tape.specs))
        self.maker: dict[int, Unit] = {}
        self.units: list[Unit] = []
        self.order = {equation.results[0]: k for k, equation in enumerate(tape.equations) if equation.results}
        for equation in tape.equations:
            self.take(equation)

    def producers(self, equations: Sequence[Equation]) -> list[Unit]:
        """The units that make the operands, the latest first."""
        slots = sorted({o for e in equations for o in e.operands if isinstance(o, int)}, reverse=True)
        return list(dict.fromkeys(self.maker[slot].root() for slot in slots if slot in self.maker))

    def take(self, equation: Equation) -> None:
        """Put one more operation into a unit."""
        unit = Unit(equation)
        self.units.append(unit)
        for slot in equation.results:
            self.maker[slot] = unit
        unit.grid = alone(equation, self.specs)
        if unit.grid is None:
            return
        for other in self.producers([equation]):
            if other.grid is not None:
                self.join(unit.root(), other)

    def join(self, unit: Unit, other: Unit) -> None:
        """Make two units one, if they fit on one grid and nothing lies between them."""
        if unit is other or len(unit.equations) + len(other.equations) > MOST or self.between(other, unit):
            return
        equations = sorted((*other.equations, *unit.equations), key=lambda e: self.order[e.results[0]])
        assert unit.grid is not None
        assert other.grid is not None
        for shape in dict.fromkeys((other.grid.shape, unit.grid.shape)):
            try:
                grid = grid_of(equations, self.specs, shape)
            except Unfit:
                continue
            unit.equations, unit.grid = equations, grid
            other.into = unit
            return

    def between(self, first: Unit, last: Unit) -> bool:
        """Whether a unit outside of both needs the first and is needed by the last."""
        waiting = [p for p in self.producers(last.equations) if p not in (first, last)]
        seen = set(waiting)
        while waiting:
            for unit in self.producers(waiting.pop().equations):
                if unit is first:
                    return True
                if unit is not last and unit not in seen:
                    seen.add(unit)
                    waiting.append(unit)
        return False

    def ordered(self) -> list[Unit]:
        """The units, each after those whose results it needs."""
        done: dict[Unit, None] = {}
        for unit in dict.fromkeys(u.root() for u in self.units):
            waiting = [unit]
            while waiting:
                needed = [p for p in self.producers(waiting[-1].equations) if p not in done and p is not waiting[-1]]
                if waiting[-1] in done or not needed:
                    done.setdefault(waiting.pop())
                else:
                    waiting.extend(needed)
        return list(done)


def alone(equation: Equation, specs: Mapping[int, Spec]) -> Grid | None:
    """The grid of one operation by itself."""
    try:
        return lone_grid(equation, specs)
    except Unfit:
        return None


def lone_grid(equation: Equation, specs: Mapping[int, Spec]) -> Grid:
    """The grid of one operation by itself.

    Raises:
        Unfit: if there is none; of several reasons the first.
    """
    if len(equation.results) != 1:
        raise Unfit(f"{equation.primitive.name} gives {len(equation.results)} results")
    name, operand = equation.primitive.name, equation.operands[0] if equation.operands else None
    shapes: list[Shape] = [equation.specs[0].shape]
    if isinstance(operand, int) and name in (*REDUCTIONS, *PASSING, "pick"):
        shapes.insert(name in PASSING, specs[operand].shape)
    reasons = []
    for shape in shapes:
        if shape and 0 not in shape:
            try:
                return grid_of([equation], specs, shape)
            except Unfit as reason:
                reasons.append(reason)
    raise reasons[0] if reasons else Unfit("an array without elements" if shapes[0] else "a single number")


def worthwhile(unit: Unit, specs: Mapping[int, Spec]) -> bool:
    """Whether a group is worth a kernel."""
    if unit.grid is None:
        return False
    working = [e for e in unit.equations if e.primitive.name not in PASSING]
    elements = unit.grid.rows * unit.grid.columns
    if len(working) > 1:
        return True
    if not working or elements < FEW:
        return False
    (equation,) = working
    dear = equation.primitive.family == "elementwise" and costly(
        equation.primitive.name,
        [specs[o] if isinstance(o, int) else o.value for o in equation.operands],
        equation.specs[0],
    )
    return dear or elements >= MANY


def fuse(tape: Tape) -> Tape:
    """The tape with a kernel in the place of each group of operations."""
    fusion = Fusion(tape)
    number: dict[int, int] = {slot: slot for slot in range(len(tape.inputs))}
    equations: list[Equation] = []
    final = {out for out in tape.outputs if isinstance(out, int)}
    readers: dict[int, set[Unit]] = {}
    for unit in dict.fromkeys(u.root() for u in fusion.units):
        for equation in unit.equations:
            for operand in equation.operands:
                if isinstance(operand, int):
                    readers.setdefault(operand, set()).add(unit)

    def add(equation: Equation, operands: Sequence[Operand], slots: Sequence[int]) -> None:
        free = len(number)
        results = tuple(range(free, free + len(slots)))
        again = tuple(number[o] if isinstance(o, int) else o for o in operands)
        equations.append(Equation(equation.primitive, again, equation.params, results, equation.specs, equation.source))
        number.update(zip(slots, results, strict=True))

    for unit in fusion.ordered():
        if worthwhile(unit, fusion.specs):
            assert unit.grid is not None
            made = [slot for e in unit.equations for slot in e.results]
            wanted = [slot for slot in made if slot in final or readers.get(slot, set()) - {unit}]
            inner, brought = sub_tape(unit.equations, wanted, fusion.specs)
            add(row_kernel(inner, unit.grid.shape), brought, wanted)
        else:
            for equation in unit.equations:
                add(equation, equation.operands, equation.results)
    outputs = tuple(number[out] if isinstance(out, int) else out for out in tape.outputs)
    return Tape(tape.inputs, tuple(equations), outputs, tape.constants, tape.arguments, tape.results)


def sub_tape(
    equations: Sequence[Equation], wanted: Sequence[int], specs: Mapping[int, Spec]
) -> tuple[Tape, tuple[int, ...]]:
    """The tape of some operations, and the slots that are its inputs."""
    made = {slot for e in equations for slot in e.results}
    brought = tuple(dict.fromkeys(o for e in equations for o in e.operands if isinstance(o, int) and o not in made))
    number = {slot: k for k, slot in enumerate((*brought, *(slot for e in equations for slot in e.results)))}

    def moved(e: Equation) -> Equation:
        operands = tuple(number[o] if isinstance(o, int) else o for o in e.operands)
        return Equation(e.primitive, operands, e.params, tuple(number[r] for r in e.results), e.specs, e.source)

    inputs = tuple(specs[slot] for slot in brought)
    return Tape(inputs, tuple(map(moved, equations)), tuple(number[slot] for slot in wanted)), brought


__all__ = ["fuse", "spec_of", "sub_tape"]
