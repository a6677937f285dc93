"""Which operations become one kernel: a tape with kernels in the places of what they fuse.

Operations are taken in their order. Each joins the group of one of its operands if it fits on the group's grid
(:mod:`autodiff.backends.kernels.forms`) and nothing outside of the group would then wait for the group and be waited for at
once; groups that meet in it become one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from autodiff.backends.kernels.call import row_kernel
from autodiff.backends.kernels.forms import PASSING, REDUCTIONS, VIEWS, Grid, Shape, Unfit, grid_of, sub_specs
from autodiff.backends.kernels.scalars import costly
from autodiff.backends.passes.dead import drop_dead
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Operand, Tape

MOST = 200
"""Groups of more operations take too long to compile."""
AGAIN = 16
"""So many operations may be done again."""
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
        self.join_siblings()

    def join_siblings(self) -> None:
        """Make kernels one that read the same large array and do not wait for each other."""
        readers: dict[int, list[Unit]] = {}
        for unit in dict.fromkeys(u.root() for u in self.units):
            if unit.grid is not None:
                for slot in unit.grid.outside:
                    if self.specs[slot].shape == unit.grid.shape and self.specs[slot].size >= FEW:
                        readers.setdefault(slot, []).append(unit)
        for units in readers.values():
            for first, second in pairwise(units):
                first, second = first.root(), second.root()  # noqa: PLW2901
                if first.grid is None or second.grid is None or first.grid.shape != second.grid.shape:
                    continue
                if not self.between(first, second) and not self.between(second, first):
                    if first not in self.producers(second.equations) and second not in self.producers(first.equations):
                        self.join(second, first)

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
        unit.grid = None if equation.primitive.name in VIEWS else alone(equation, self.specs)
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


class Recomputation:
    """Which results of kernels are computed again by later kernels, in place of being written and read.

    A result of cheap arithmetic need not go to memory, if what it is computed from is there anyway or is smaller.
    """

    def __init__(self, fusion: Fusion, kernels: set[Unit], readers: Mapping[int, set[Unit]], final: set[int]) -> None:
        self.fusion, self.kernels = fusion, kernels
        self.maker = {e.results[0]: e for unit in kernels for e in unit.equations}
        self.home = {slot: unit for unit in kernels for e in unit.equations for slot in e.results}
        self.stored = {slot for slot, unit in self.home.items() if slot in final or readers.get(slot, set()) - {unit}}
        self.extra: dict[Unit, dict[int, Equation]] = {unit: {} for unit in kernels}
        for unit in kernels:
            several = [slot for slot in self.home if self.home[slot] is unit and slot in self.stored - final]
            users = {slot: readers[slot] - {unit} for slot in several}
            several = [slot for slot in several if users[slot] <= kernels and self.cheap(slot)]
            if not self.try_again(several, users):
                for slot in reversed(several):
                    self.try_again([slot], users)

        for unit in kernels:
            self.read_through_views(unit)

    def read_through_views(self, unit: Unit) -> None:
        """Let a kernel read transposed arrays and slices where they lie: nobody need bring them in order first."""
        made = {e.results[0]: e for u in self.fusion.units if (e := u.equations[0]).primitive.name in VIEWS}
        for slot in sorted({o for e in self.equations(unit) for o in e.operands if isinstance(o, int) and o in made}):
            chain: list[Equation] = []
            now: Any = slot
            while now in made:
                chain.insert(0, made[now])
                now = made[now].operands[0]
            if self.fits(unit, chain):
                self.extra[unit].update({e.results[0]: e for e in chain})

    def try_again(self, slots: Sequence[int], users: Mapping[int, set[Unit]]) -> bool:
        """Let the users of some results of a kernel compute them again, if that moves fewer bytes."""
        saved = sum(self.bytes(slot) * (1 + len(users[slot])) for slot in slots)
        wanted: dict[Unit, list[int]] = {}
        for slot in slots:
            for user in users[slot]:
                wanted.setdefault(user, []).append(slot)
        leaves: set[int] = set()
        merged: dict[Unit, list[Equation]] = {}
        for user, own in wanted.items():
            found = self.origins(own, set(slots))
            if found is None:
                return False
            equations, begin = found
            known = {o for e in self.equations(user) for o in e.operands if isinstance(o, int)} - set(slots)
            saved -= sum(self.bytes(leaf) for leaf in begin - known)
            leaves |= begin
            merged[user] = equations
        saved -= sum(self.bytes(leaf) for leaf in leaves if leaf in self.home and leaf not in self.stored)
        if saved <= 0 or not all(self.fits(user, equations) for user, equations in merged.items()):
            return False
        self.stored -= set(slots)
        self.stored |= {leaf for leaf in leaves if leaf in self.home}
        for user, equations in merged.items():
            self.extra[user].update({e.results[0]: e for e in equations})
        return True

    def fits(self, user: Unit, equations: Sequence[Equation]) -> bool:
        """Whether a kernel can do some more operations."""
        merged = self.merged(user, equations)
        assert user.grid is not None
        try:
            grid_of(merged, self.fusion.specs, user.grid.shape)
        except Unfit:
            return False
        return len(merged) <= MOST

    def cheap(self, slot: int) -> bool:
        """Whether a result is arithmetic on elements."""
        equation = self.maker[slot]
        name, operands = equation.primitive.name, sub_specs(equation.operands, self.fusion.specs)
        return equation.primitive.family == "elementwise" and not costly(name, operands, equation.specs[0])

    def origins(self, slots: Sequence[int], dropped: set[int]) -> tuple[list[Equation], set[int]] | None:
        """The cheap operations that lead to results, and the values that they begin with; None if they are many."""
        equations: dict[int, Equation] = {}
        leaves: set[int] = set()
        waiting = list(slots)
        while waiting:
            now = waiting.pop()
            equation = self.maker.get(now)
            here = now in dropped or now not in self.stored
            if equation is None or not here or not self.again(equation):
                leaves.add(now)
            elif now not in equations:
                equations[now] = equation
                waiting.extend(o for o in equation.operands if isinstance(o, int))
            if len(equations) > AGAIN:
                return None
        return [equations[key] for key in sorted(equations)], leaves

    def again(self, equation: Equation) -> bool:
        return equation.primitive.name in PASSING or self.cheap(equation.results[0])

    def bytes(self, slot: int) -> int:
        spec = self.fusion.specs[slot]
        return spec.size * spec.dtype.itemsize

    def merged(self, unit: Unit, equations: Sequence[Equation]) -> list[Equation]:
        own = {e.results[0] for e in unit.equations}
        found = {**self.extra[unit], **{e.results[0]: e for e in equations if e.results[0] not in own}}
        return sorted((*found.values(), *unit.equations), key=lambda e: self.fusion.order[e.results[0]])

    def equations(self, unit: Unit) -> list[Equation]:
        """The operations of a kernel, with those that it does again, and without those that nobody needs any more."""
        merged = self.merged(unit, ())
        own = {slot for e in unit.equations for slot in e.results}
        needed = {slot for slot in own if slot in self.stored}
        kept = []
        for equation in reversed(merged):
            if not needed.isdisjoint(equation.results):
                kept.append(equation)
                needed.update(o for o in equation.operands if isinstance(o, int))
        return kept[::-1]

    def ordered(self) -> list[Unit]:
        """The units, each after those whose results it needs now."""
        units = self.fusion.ordered()
        done: dict[Unit, None] = {}
        for unit in units:
            waiting = [unit]
            while waiting:
                top = waiting[-1]
                equations = self.equations(top) if top in self.kernels else top.equations
                needed = [p for p in self.fusion.producers(equations) if p not in done and p is not top]
                if top in done or not needed:
                    done.setdefault(waiting.pop())
                else:
                    waiting.extend(needed)
        return list(done)


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

    kernels = {unit for unit in fusion.ordered() if worthwhile(unit, fusion.specs)}
    again = Recomputation(fusion, kernels, readers, final)
    for unit in again.ordered():
        if unit in kernels:
            assert unit.grid is not None
            made = [slot for e in unit.equations for slot in e.results]
            wanted = [slot for slot in made if slot in again.stored]
            inner, brought = sub_tape(again.equations(unit), wanted, fusion.specs)
            add(row_kernel(inner, unit.grid.shape), brought, wanted)
        else:
            for equation in unit.equations:
                add(equation, equation.operands, equation.results)
    outputs = tuple(number[out] if isinstance(out, int) else out for out in tape.outputs)
    return drop_dead(Tape(tape.inputs, tuple(equations), outputs, tape.constants, tape.arguments, tape.results))


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
