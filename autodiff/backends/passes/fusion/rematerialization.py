"""What kernels compute again, so that less goes through memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autodiff.backends.kernels.forms import PASSING, Unfit, grid_of, sub_specs
from autodiff.backends.kernels.scalars import costly
from autodiff.backends.passes.fusion.groups import MOST, Fusion, Unit
from autodiff.trace.tape import Equation

AGAIN = 16
"""So many operations may be done again."""


class Rematerialization:
    """Which results of kernels are computed again by later kernels, in place of being written and read.

    A result of cheap arithmetic need not go to memory, if what it is computed from is there anyway or is smaller.

    Args:
        fusion: the groups.
        kernels: those that become kernels, in their order, which decides which are looked at first.
        readers: the groups that read a slot.
        final: the outputs.
    """

    def __init__(
        self, fusion: Fusion, kernels: Mapping[Unit, None], readers: Mapping[int, set[Unit]], final: set[int]
    ) -> None:
        self.fusion, self.kernels, self.readers = fusion, kernels, readers
        self.maker = {e.results[0]: e for unit in kernels for e in unit.equations}
        self.home = {slot: unit for unit in kernels for e in unit.equations for slot in e.results}
        self.stored = {slot for slot, unit in self.home.items() if slot in final or readers.get(slot, set()) - {unit}}
        self.extra: dict[Unit, dict[int, Equation]] = {unit: {} for unit in kernels}
        self.repeating: dict[int, set[Unit]] = {}  # the groups that read a slot in what they do again
        for unit in kernels:
            several = [s for e in unit.equations for s in e.results if s in self.stored and s not in final]
            several = [slot for slot in several if self.users(slot) <= kernels.keys() and self.cheap(slot)]
            if not self.try_again(several):
                for slot in reversed(several):
                    self.try_again([slot])

        for unit in kernels:
            self.read_through_views(unit)

    def read_through_views(self, unit: Unit) -> None:
        """Let a kernel read transposed arrays and slices where they lie: nobody need bring them in order first."""
        slots = {o for e in self.equations(unit) for o in e.operands if isinstance(o, int)}
        for slot in sorted(slots & self.fusion.looking.keys()):
            chain = self.fusion.views([slot])
            if self.fits(unit, chain):
                self.repeat(unit, chain)

    def users(self, slot: int) -> set[Unit]:
        """The groups that read a result of another one: their operations, or those that they do again."""
        again = self.repeating.get(slot, set())
        return (self.readers.get(slot, set()) | again) - {self.home[slot]}

    def repeat(self, unit: Unit, equations: Sequence[Equation]) -> None:
        """Let a group do operations of others again."""
        for equation in equations:
            self.extra[unit][equation.results[0]] = equation
            for operand in equation.operands:
                if isinstance(operand, int):
                    self.repeating.setdefault(operand, set()).add(unit)

    def try_again(self, slots: Sequence[int]) -> bool:
        """Let the users of some results of a kernel compute them again, if that moves fewer bytes."""
        users = {slot: self.users(slot) for slot in slots}
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
            self.repeat(user, equations)
        return True

    def fits(self, user: Unit, equations: Sequence[Equation]) -> bool:
        """Whether a kernel can do some more operations."""
        merged = self.merged(user, equations)
        assert user.grid is not None
        try:
            grid = grid_of(merged, self.fusion.specs, user.grid.shape)
        except Unfit:
            return False
        return len(merged) <= MOST and self.fusion.suits(grid, merged)

    def cheap(self, slot: int) -> bool:
        """Whether a result is arithmetic on elements."""
        equation = self.maker[slot]
        primitive, operands = equation.primitive, sub_specs(equation.operands, self.fusion.specs)
        return primitive.family == "elementwise" and not costly(primitive, operands, equation.specs[0])

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
                read = {o for e in equations for o in e.operands if isinstance(o, int)}
                needed = [p for p in self.fusion.makers(read) if p not in done and p is not top]
                if top in done or not needed:
                    done.setdefault(waiting.pop())
                else:
                    waiting.extend(needed)
        return list(done)
