"""A tape in which groups of operations have become kernels of stacks of products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autodiff.backends.kernels.products.stacks import stack_kernel
from autodiff.backends.passes.fusion.fuse import sub_tape
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape
from autodiff.trace.tape import ordered as has_turn


@dataclass(frozen=True)
class Group:
    """Operations that become a kernel.

    Attributes:
        equations: in their order.
        results: what others may want of them.
        product: the number of its product on the tape.
    """

    equations: tuple[Equation, ...]
    results: tuple[int, ...]
    product: int

    @property
    def operands(self) -> list[int]:
        """What comes from outside."""
        made = {slot for e in self.equations for slot in e.results}
        return [o for e in self.equations for o in e.operands if isinstance(o, int) and o not in made]


Unit = Group | Equation


def with_groups(tape: Tape, groups: Sequence[Group]) -> Tape:
    """The tape with kernels in the places of groups, without what nobody needs then."""
    units: list[Unit] = list(tape.equations)
    for group in groups:
        units[group.product] = group
    home = {slot: unit for unit in units for slot in unit.results}
    home.update({slot: group for group in groups for slot in group.results})
    wanted = {out for out in tape.outputs if isinstance(out, int)}
    live: set[int] = set()
    waiting = [*wanted, *(e.results[0] for e in tape.equations if has_turn(e))]
    while waiting:
        unit = home.get(waiting.pop())
        if unit is not None and id(unit) not in live:
            live.add(id(unit))
            needed = [o for o in unit.operands if isinstance(o, int)]
            wanted.update(needed)
            waiting += needed
    writer = Writer(tape, wanted)
    for unit in ordered([unit for unit in units if id(unit) in live], home):
        writer.add(unit)
    return writer.tape()


def ordered(units: Sequence[Unit], home: Mapping[int, Unit]) -> list[Unit]:
    """The units, each after those whose results it needs."""
    done: dict[int, Unit] = {}
    for unit in units:
        waiting = [unit]
        while waiting:
            top = waiting[-1]
            needed = [home[o] for o in top.operands if isinstance(o, int) and o in home]
            needed = [other for other in needed if id(other) not in done]
            if id(top) in done or not needed:
                done.setdefault(id(waiting.pop()), top)
            else:
                waiting += needed
    return list(done.values())


class Writer:
    """A tape in the making, with other numbers for its slots.

    Args:
        old: the tape before.
        wanted: its slots that something needs.
    """

    def __init__(self, old: Tape, wanted: set[int]) -> None:
        self.old, self.wanted = old, wanted
        self.specs: Mapping[int, Spec] = dict(enumerate(old.specs))
        self.number = {slot: slot for slot in range(len(old.inputs))}
        self.equations: list[Equation] = []

    def add(self, unit: Group | Equation) -> None:
        """Write an operation, or the kernel of a group."""
        if isinstance(unit, Equation):
            self.place(unit, unit.operands, unit.results)
            return
        results = [slot for slot in unit.results if slot in self.wanted]
        tape, brought = sub_tape(unit.equations, results, self.specs)
        self.place(stack_kernel(tape), brought, results)

    def place(self, equation: Equation, operands: Sequence[Operand], slots: Sequence[int]) -> None:
        """Write an operation that has these operands, and fills these slots of the old tape."""
        again = tuple(self.number[o] if isinstance(o, int) else o for o in operands)
        results = tuple(range(len(self.number), len(self.number) + len(slots)))
        self.number.update(zip(slots, results, strict=True))
        self.equations.append(replace(equation, operands=again, results=results))

    def tape(self) -> Tape:
        """What was written."""
        outputs = tuple(self.number[out] if isinstance(out, int) else out for out in self.old.outputs)
        return replace(self.old, equations=tuple(self.equations), outputs=outputs)
