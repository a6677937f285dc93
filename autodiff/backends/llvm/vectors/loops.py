"""A loop as vectors: several at a time as long as there are enough, then with a mask; a short one without a loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autodiff.backends.language.types import FLOATS
from autodiff.backends.llvm.vectors.rounds import Rounds
from autodiff.backends.llvm.vectors.tree import Plan

Totals = dict[str, Any]

ROUNDS = 128
"""So many rounds add to one total, which adds to another: rounding errors grow with this number, not the length."""


@dataclass(frozen=True)
class Form:
    """How a loop is printed.

    Attributes:
        lanes: of a vector.
        together: vectors that are computed at once, as one that is so much longer; 0 if all rounds have masks.
        straight: whether there is no loop, for as many rounds as are known.
        scales: whether the machine multiplies vectors by powers of two in one instruction.
        multiplies: whether the loop waits for divisions by what is the same in all rounds.
    """

    lanes: int
    together: int
    straight: bool
    scales: bool = False
    multiplies: bool = False


class Printer(Rounds):
    """Prints a loop.

    Args:
        builder: an `llvmlite.ir.IRBuilder`.
        form: how.
        fused: whether the machine has a fused multiply-add.
        plan: of the loop.
        given: what the names of the plan are.
    """

    def __init__(self, builder: Any, form: Form, fused: bool, plan: Plan, given: Mapping[str, Any]) -> None:
        super().__init__(builder, form.lanes, fused, plan, given)
        self.form, self.scales, self.multiplies = form, form.scales, fused and form.multiplies
        self.types = {name: str(plan.given[name]) for name in plan.accumulators}

    def print(self, start: Any, stop: Any) -> list[Any]:
        """The loop from a number to another; the results."""
        found = {name: self.given[name] for name in self.plan.accumulators}
        length = self.plan.length
        if length is None:
            found = self.if_any(start, self.builder.sub(stop, start), found)
        elif length:
            self.before(start)
            found = self.joined(found, self.known(start, length))
        return [found[name] for name in self.plan.results]

    def if_any(self, start: Any, length: Any, begin: Totals) -> Totals:
        """The loop, if it has rounds at all."""
        builder = self.builder
        entry, inside, after = builder.block, self.block("some"), self.block("done")
        builder.cbranch(builder.icmp_signed(">", length, self.word(0)), inside, after)
        builder.position_at_end(inside)
        self.before(start)
        found = self.joined(begin, self.looped(start, length))
        inside = builder.block
        builder.branch(after)
        builder.position_at_end(after)
        totals = {}
        for name, value in begin.items():
            totals[name] = builder.phi(value.type)
            totals[name].add_incoming(value, entry)
            totals[name].add_incoming(found[name], inside)
        return totals

    def known(self, start: Any, length: int) -> list[Totals]:
        """The loop of a length that is known: what is left of whole vectors needs no loop."""
        if self.form.straight:
            return self.straight(start, 0, length)
        if not self.form.together:
            return self.looped(start, self.word(length))
        size = self.form.lanes * self.form.together
        whole = length // size * size
        found = [self.whole(start, self.word(whole))] if whole else []
        return found + self.straight(start, whole, length)

    def straight(self, start: Any, first: int, length: int) -> list[Totals]:
        """Rounds one after another, four of them with totals of their own."""
        found: list[Totals] = []
        for number, done in enumerate(range(first, length, self.count)):
            live = None if length - done >= self.count else length - done
            totals = found[number % 4] if number >= 4 else self.nothing()
            totals = self.run(self.builder.add(start, self.word(done)), totals, live)
            found[number % 4 : number % 4 + 1] = [totals]
        return found

    def looped(self, start: Any, length: Any) -> list[Totals]:
        """The loop of whole vectors, then the loop of those with a mask; the totals of each."""
        builder, whole, found = self.builder, self.word(0), []
        if self.form.together:
            whole = builder.and_(length, self.word(-self.form.lanes * self.form.together))
            found.append(self.whole(start, whole))

        def masked(done: Any, now: Totals) -> Totals:
            return self.run(builder.add(start, done), now, builder.sub(length, done))

        return [*found, (self.rounds if self.form.together else self.in_blocks)(whole, length, masked)]

    def whole(self, start: Any, length: Any) -> Totals:
        """The loop of whole vectors, several as one; its totals."""
        self.count = self.form.lanes * self.form.together
        found = self.in_blocks(self.word(0), length, lambda done, now: self.run(self.builder.add(start, done), now))
        self.count = self.form.lanes
        return found

    def in_blocks(self, first: Any, stop: Any, body: Callable[[Any, Totals], Totals]) -> Totals:
        """A loop in steps of a vector, block by block where it adds up many floating-point numbers; its totals."""
        length, size = self.plan.length, ROUNDS * self.count
        adds = any(kind == "reduce_add" and self.types[name] in FLOATS for name, kind in self.plan.accumulators.items())
        if not adds or (length is not None and length <= size):
            return self.rounds(first, stop, body)

        def block(done: Any, now: Totals) -> Totals:
            end = self.builder.add(done, self.word(size), flags=("nsw",))
            last = self.builder.select(self.builder.icmp_signed("<", end, stop), end, stop)
            parts = self.rounds(done, last, body)
            return {
                name: self.combined(kind, self.types[name], now[name], parts[name])
                for name, kind in self.plan.accumulators.items()
            }

        return self.rounds(first, stop, block, size)

    def rounds(self, first: Any, stop: Any, body: Callable[[Any, Totals], Totals], step: int | None = None) -> Totals:
        """A loop in steps of a vector, or of so many elements; its totals."""
        builder = self.builder
        entry, head, inside, after = builder.block, self.block("next"), self.block("body"), self.block("after")
        builder.branch(head)
        builder.position_at_end(head)
        done = builder.phi(self.word)
        done.add_incoming(first, entry)
        before = self.nothing()
        now = {name: builder.phi(value.type) for name, value in before.items()}
        builder.cbranch(builder.icmp_signed("<", done, stop), inside, after)
        builder.position_at_end(inside)
        later = body(done, now)
        done.add_incoming(builder.add(done, self.word(step or self.count), flags=("nsw",)), builder.block)
        for name, phi in now.items():
            phi.add_incoming(before[name], entry)
            phi.add_incoming(later[name], builder.block)
        builder.branch(head).set_metadata("llvm.loop", self.as_it_is())
        builder.position_at_end(after)
        return now

    def nothing(self) -> Totals:
        return {name: self.identity(kind, self.types[name]) for name, kind in self.plan.accumulators.items()}

    def joined(self, begin: Totals, parts: list[Totals]) -> Totals:
        """The totals of all parts and lanes, and what they began with."""
        found = {}
        for name, kind in self.plan.accumulators.items():
            type_ = self.types[name]
            values = [self.gathered(kind, type_, part[name], self.count) for part in parts]
            while len(values) > 1:
                pairs = [self.combined(kind, type_, x, y) for x, y in zip(values[::2], values[1::2], strict=False)]
                values = pairs + values[len(pairs) * 2 :]
            found[name] = self.combined(kind, type_, begin[name], self.gathered(kind, type_, values[0]))
        return found

    def block(self, name: str) -> Any:
        return self.builder.append_basic_block(f"vectors.{name}")

    def as_it_is(self) -> Any:
        """What tells LLVM to leave a loop alone: it is vectors already, and as many as should be."""
        module = self.builder.module
        rules = [["llvm.loop.unroll.disable"], ["llvm.loop.vectorize.enable", self.ir.IntType(1)(0)]]
        found = module.add_metadata([f"loop {len(module.metadata)} of vectors"])
        found.operands = (found, *(module.add_metadata(rule) for rule in rules))  # a loop's metadata names itself first
        return found
