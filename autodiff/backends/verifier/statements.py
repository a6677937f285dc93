"""What the statements of a kernel do to names, from the first to the last, loops and branches included."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from autodiff.backends.language.names import Uses
from autodiff.backends.language.numpy_loops import LOOPS
from autodiff.backends.language.polynomials import Polynomial, constant
from autodiff.backends.language.tree import Expression, For, If, Leave, Let, Run, Statement, Store, While
from autodiff.backends.language.types import STORED
from autodiff.backends.verifier import numbers
from autodiff.backends.verifier.expressions import Expressions
from autodiff.backends.verifier.facts import Facts
from autodiff.backends.verifier.launch import Launch
from autodiff.backends.verifier.procedures import PROCEDURES, call_out, numpy_loop
from autodiff.backends.verifier.values import OTHER, UNKNOWN, Address, Number, Truth, Value

MANY = 1 << 61
"""Larger than any number that goes from round to round; what is computed from two of them does not wrap around."""

Span = tuple[float, float]
EVERYWHERE = -inf, inf
Begin = Callable[[Facts], dict[str, Value]]
"""What is known at the start of a round."""


@dataclass
class Place:
    """What is known at a place of a kernel."""

    names: dict[str, Value]
    facts: Facts


class Statements(Expressions):
    """Follows the statements of a kernel.

    Args:
        launch: how it is run.
    """

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        self.uses = Uses()
        self.leaving: list[tuple[list[Place], list[Place]]] = []  # places of `break` and `continue` of each loop

    def block(self, block: Sequence[Statement]) -> bool:
        """Statements, up to one that leaves; whether there was none."""
        return all(self.statement(statement) for statement in block)

    def statement(self, node: Statement) -> bool:
        """Any statement; whether the next one is reached."""
        self.memory.line = node.__str__
        match node:
            case Let((name,), (value,)):
                found = self.value(value)
                self.names[name] = Number(self.facts.named(found.value)) if isinstance(found, Number) else found
            case Let(names, values):
                self.names.update(zip(names, [self.value(value) for value in values], strict=True))
            case Store(element, base, index, value):
                self.store(STORED[element], base, index, value)
            case Run(name, operands):
                self.run(name, operands)
            case For():
                self.loop(node)
            case While(test, body):
                self.repeat(test, body)
            case If(test, body, orelse):
                return self.branch(test, body, orelse)
            case Leave("return"):
                return False
            case Leave(how):
                self.leaving[-1][how == "continue"].append(Place(self.names, self.facts))
                return False
        return True

    def run(self, name: str, operands: Sequence[Expression]) -> None:
        """A procedure."""
        given = [self.value(operand) for operand in operands]
        if name == "call_out":
            call_out(self, given)
        elif name in LOOPS:
            numpy_loop(self, LOOPS[name], given)
        else:
            stem, _, bits = name.rpartition("_float")
            PROCEDURES[stem](self, f"f{int(bits) // 8}", given)

    # Branches.

    def branch(self, test: Expression, body: Sequence[Statement], orelse: Sequence[Statement]) -> bool:
        """One body or another."""
        truth, names, around = self.truth(test), self.names, self.facts
        known = numbers.decided(around, truth)
        if known is not None:
            return self.block(body if known else orelse)
        ends: list[Place] = []
        for statements, holds in ((body, True), (orelse, False)):
            self.names, self.facts = dict(names), around.inside()
            numbers.note(self.facts, truth, holds)
            if self.block(statements):
                ends.append(Place(self.names, self.facts))
        if len(ends) == 1:
            self.names, self.facts = ends[0].names, ends[0].facts
        else:
            self.names, self.facts = self.met(around, ends), around
        return bool(ends)

    def met(self, around: Facts, places: Sequence[Place]) -> dict[str, Value]:
        """What names stand for where two places lead.

        A name that has no value at one of them keeps there what it had in another round of a loop: nobody reads it
        before the loop is left, and then those of all rounds are taken together.
        """
        if not places:
            return {}
        one, other = places
        found: dict[str, Value] = {}
        for name in one.names.keys() | other.names.keys():
            first, second = one.names.get(name), other.names.get(name)
            if first is None or second is None:
                only = one if second is None else other
                found[name] = numbers.outside(around, only.facts, only.names[name])
            elif first is second:
                found[name] = first
            else:
                found[name] = numbers.either(around, (one.facts, first), (other.facts, second))
        return found

    # Loops.

    def loop(self, node: For) -> None:
        """A loop over a range of numbers."""
        start, stop, step = self.number(node.start), self.number(node.stop), node.step
        if start is None or stop is None:
            self.memory.fault("a loop of which nothing is known")
            return
        if (self.facts.highest(stop - start) if step > 0 else self.facts.highest(start - stop)) <= 0:
            return  # no round
        self.rounds(node.body, lambda facts: {node.name: Number(counter(facts, node.name, start, stop, step))})

    def repeat(self, test: Expression, body: Sequence[Statement]) -> None:
        """A body as long as a test holds."""

        def tested(facts: Facts) -> dict[str, Value]:
            numbers.note(facts, self.truth(test), True)
            return {}

        self.rounds(body, tested)

    def rounds(self, body: Sequence[Statement], begin: Begin) -> None:
        """All rounds of a loop."""
        before, around = self.names, self.facts
        uses = self.uses.of_all(body)
        assigned = uses.assigned
        carried = sorted(assigned & before.keys() & uses.read_first)
        head = dict(before)  # and not one name after the other: there may be thousands, at each loop
        for name in assigned:
            head.pop(name, None)
        head.update(self.at_any_round({name: before[name] for name in carried}, head, body, begin))
        broken, ends = self.round(head, body, begin)
        places = [Place(before, around), *broken, *ends]
        self.facts = around
        self.names = dict(before)
        for name in assigned:
            if name in carried and not broken:
                self.names[name] = head[name]
                continue
            found = [(place.facts, place.names[name]) for place in places if name in place.names]
            if found:
                self.names[name] = self.afterwards(found)

    def at_any_round(
        self, before: dict[str, Value], others: dict[str, Value], body: Sequence[Statement], begin: Begin
    ) -> dict[str, Value]:
        """What the names that go from round to round stand for at the start of any of them.

        One round is tried of which nothing is known: where a number cannot fall, or rise, in any, it stays above, or
        below, where it began. Then it is guessed between which numbers they lie: where a round leaves them that begins
        as the first does, or else one that begins anywhere within those limits. A guess holds if no round that begins
        there ends elsewhere.
        """
        moving = [name for name, value in before.items() if offset(value) is not None]
        unknown = {name: self.anything(name, value) for name, value in before.items()}
        if not moving:
            return unknown
        ends = self.tried({**others, **unknown}, body, begin)
        limits = {name: self.monotone(before[name], unknown[name], name, ends) for name in moving}

        def head(spans: Mapping[str, Span]) -> dict[str, Value]:
            found = {name: self.limited(name, before[name], limits[name], spans[name]) for name in moving}
            return {**unknown, **found}

        def reached(values: dict[str, Value]) -> dict[str, Span]:
            ends = self.tried({**others, **values}, body, begin)
            return {name: self.reached(before[name], name, ends) for name in moving}

        spans = reached({**unknown, **{name: before[name] for name in moving}})
        for open_ended in ((-MANY, MANY), EVERYWHERE):
            after = reached(head(spans))
            if all(within(after[name], spans[name]) for name in moving):
                break
            spans = {name: span if within(after[name], span) else open_ended for name, span in spans.items()}
            if open_ended != EVERYWHERE:
                spans = reached(head(spans))
        else:
            after = reached(head(spans))
            if not all(within(after[name], spans[name]) for name in moving):
                spans = dict.fromkeys(moving, EVERYWHERE)
        return head(spans)

    def tried(self, head: dict[str, Value], body: Sequence[Statement], begin: Begin) -> list[Place]:
        """Where a round ends of which nothing is noted."""
        self.memory.trial += 1
        ends = self.round(head, body, begin)[1]
        self.memory.trial -= 1
        return ends

    def round(self, head: dict[str, Value], body: Sequence[Statement], begin: Begin) -> tuple[list[Place], list[Place]]:
        """One round: the places at which the loop is left, and those at which the next round begins."""
        around = self.facts
        self.names, self.facts = dict(head), around.inside()
        self.names.update(begin(self.facts))
        self.leaving.append(([], []))
        if self.block(body):
            self.leaving[-1][1].append(Place(self.names, self.facts))
        self.facts = around
        return self.leaving.pop()

    def anything(self, name: str, value: Value) -> Value:
        """A value of the same kind of which nothing is known."""
        if isinstance(value, Number):
            return Number(self.facts.between(name, -MANY, MANY))
        if isinstance(value, Address):
            return Address(value.word, self.facts.between(name, -MANY, MANY))
        return UNKNOWN if isinstance(value, Truth) else OTHER

    def monotone(self, before: Value, trial: Value, name: str, ends: Sequence[Place]) -> tuple[bool, bool]:
        """Whether no round lets a number fall, and whether none lets it rise."""
        at = offset(trial)
        assert at is not None
        never_falls = never_rises = True
        for place in ends:
            end = offset(same_kind(before, place.names.get(name, OTHER)))
            never_falls = never_falls and end is not None and place.facts.lowest(end - at) >= 0
            never_rises = never_rises and end is not None and place.facts.highest(end - at) <= 0
        return never_falls, never_rises

    def reached(self, before: Value, name: str, ends: Sequence[Place]) -> Span:
        """Between which numbers a name is before a loop and after a round."""
        first = offset(before)
        assert first is not None
        low, high = self.facts.lowest(first), self.facts.highest(first)
        for place in ends:
            end = offset(same_kind(before, place.names.get(name, OTHER)))
            if end is None:
                return EVERYWHERE
            low, high = min(low, place.facts.lowest(end)), max(high, place.facts.highest(end))
        return low, high

    def limited(self, name: str, before: Value, limits: tuple[bool, bool], span: Span) -> Value:
        """A number, or a place, that goes from round to round."""
        first = offset(before)
        assert first is not None
        if all(limits):
            return before
        lower, upper = ((first,) if stays else () for stays in limits)
        low, high = (numbers.bound(end) for end in span)
        made = self.facts.new(name, (*lower, *low), (*upper, *high))
        return Address(before.word, made) if isinstance(before, Address) else Number(made)

    def afterwards(self, values: Sequence[tuple[Facts, Value]]) -> Value:
        """What a name stands for after a loop."""
        found = [(self.facts, numbers.outside(self.facts, facts, value)) for facts, value in values]
        result = found[0]
        for other in found[1:]:
            result = self.facts, numbers.either(self.facts, result, other)
        return result[1]


def within(span: Span, guess: Span) -> bool:
    """Whether all of one range is in another."""
    return guess[0] <= span[0] and span[1] <= guess[1]


def same_kind(before: Value, after: Value) -> Value:
    """A value that is a place in the same array as another one, or a number as well; nothing else."""
    if isinstance(before, Address) and not (isinstance(after, Address) and after.word == before.word):
        return OTHER
    return after if isinstance(after, type(before)) else OTHER


def offset(value: Value) -> Polynomial | None:
    """The number of a value that has one."""
    if isinstance(value, Number):
        return value.value
    return value.offset if isinstance(value, Address) else None


def counter(facts: Facts, name: str, start: Polynomial, stop: Polynomial, step: int) -> Polynomial:
    """The variable of a loop."""
    count = (stop - start).number
    if count is not None:
        rounds = -(-count // step)
        return start + constant(step) * facts.new(name, (constant(0),), (constant(rounds - 1),))
    if step > 0:
        return facts.new(name, (start,), (stop - constant(1),))
    return facts.new(name, (stop + constant(1),), (start,))
