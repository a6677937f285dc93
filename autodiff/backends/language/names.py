"""What statements do with names: which they read and assign, which they read first, which are read after a loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from autodiff.backends.language.tree import (
    Expression,
    For,
    Function,
    If,
    Leave,
    Let,
    Name,
    Statement,
    While,
    expressions,
)

NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Use:
    """What statements do with names, those in them included.

    Attributes:
        reads: the names that they may read.
        assigned: those that they may give values to.
        certain: those that they do give values to, however they run.
        read_first: those that they may read before.
    """

    reads: frozenset[str] = NONE
    assigned: frozenset[str] = NONE
    certain: frozenset[str] = NONE
    read_first: frozenset[str] = NONE


class Uses:
    """Looks at each statement once."""

    def __init__(self) -> None:
        self.found: dict[Statement, Use] = {}
        self.own: dict[Statement, frozenset[str]] = {}

    def looks_at(self, statement: Statement) -> frozenset[str]:
        """The names that a statement reads itself, those in it not included."""
        found = self.own.get(statement)
        if found is None:
            found = self.own[statement] = names_in(*statement.parts)
        return found

    def reads(self, *block: Statement) -> frozenset[str]:
        """The names that statements may read."""
        return NONE.union(*(self.of(each).reads for each in block))

    def assigned(self, *block: Statement) -> frozenset[str]:
        """The names that statements may give values to."""
        return NONE.union(*(self.of(each).assigned for each in block))

    def of_all(self, block: Sequence[Statement]) -> Use:
        """One statement after another."""
        reads, assigned, certain, first = set[str](), set[str](), set[str](), set[str]()
        for statement in block:
            use = self.of(statement)
            first |= use.read_first - certain
            reads |= use.reads
            assigned |= use.assigned
            certain |= use.certain
        return Use(frozenset(reads), frozenset(assigned), frozenset(certain), frozenset(first))

    def of(self, statement: Statement) -> Use:
        """One statement."""
        found = self.found.get(statement)
        if found is None:
            found = self.found[statement] = self.looked_at(statement)
        return found

    def looked_at(self, statement: Statement) -> Use:
        own = self.looks_at(statement)
        match statement:
            case Let(names=names):
                return Use(own, frozenset(names), frozenset(names), own)
            case For(name=name, body=body):
                inside = self.of_all(body)  # of which there may be no round: nothing is certain
                return Use(own | inside.reads, inside.assigned | {name}, NONE, own | inside.read_first - {name})
            case While(body=body):
                inside = self.of_all(body)
                return Use(own | inside.reads, inside.assigned, NONE, own | inside.read_first)
            case If(body=body, orelse=orelse):
                one, other = self.of_all(body), self.of_all(orelse)
                return Use(
                    own | one.reads | other.reads,
                    one.assigned | other.assigned,
                    one.certain & other.certain,
                    own | one.read_first | other.read_first,
                )
        return Use(own, read_first=own)


def names_in(*roots: Expression) -> frozenset[str]:
    """The names in expressions."""
    return frozenset(each.name for each in expressions(*roots) if isinstance(each, Name))


@lru_cache(maxsize=4)
def uses_of(function: Function) -> Uses:
    """What the statements of a function do with names, for all who ask."""
    return Uses()


@lru_cache(maxsize=4)
def read_after_loops(function: Function) -> dict[For, frozenset[str]]:
    """The names that may be read after a loop, before they are assigned again."""
    walk = Backwards(uses_of(function))
    walk.block(function.body, NONE)
    return walk.found


class Backwards:
    """From the last statement to the first."""

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self.found: dict[For, frozenset[str]] = {}
        self.leaving: list[tuple[frozenset[str], frozenset[str]]] = []  # what is read after `break`, and `continue`

    def block(self, block: Sequence[Statement], live: frozenset[str]) -> frozenset[str]:
        """What is read from the first of some statements on, if `live` is after the last."""
        now = set(live)  # changed in place: of a long block thousands of names may be read later
        for statement in reversed(block):
            if isinstance(statement, (For, While, If, Leave)):
                now = set(self.one(statement, frozenset(now)))
            else:
                now -= self.uses.of(statement).assigned
                now |= self.uses.looks_at(statement)
        return frozenset(now)

    def one(self, statement: For | While | If | Leave, live: frozenset[str]) -> frozenset[str]:
        """The same of a statement with others in it, or that leaves a loop."""
        own = self.uses.looks_at(statement)
        match statement:
            case For(name=name, body=body):
                self.found[statement] = self.found.get(statement, NONE) | live
                return self.loop(NONE, {name}, body, live) | own
            case While(body=body):
                return self.loop(own, set(), body, live)
            case If(body=body, orelse=orelse):
                return own | self.block(body, live) | self.block(orelse, live)
            case Leave(how="return"):
                return NONE
            case Leave(how=how):
                return self.leaving[-1][how == "continue"]

    def loop(
        self, head: frozenset[str], own: set[str], body: Sequence[Statement], live: frozenset[str]
    ) -> frozenset[str]:
        """What is read before a loop: it may run no time, or once more.

        Args:
            head: what is read before each round.
            own: what is assigned there.
            body: of a round.
            live: what is read after the loop.
        """
        around = live | head
        while True:
            self.leaving.append((live, around))
            inside = (self.block(body, around) - own) | head | live
            self.leaving.pop()
            if inside <= around:
                return around
            around = around | inside


def changing(function: Function) -> set[str]:
    """The names that are not one value wherever they are read.

    They are assigned where they have a value already, or read outside of the block that assigns them.
    """
    walk = Scopes(set(function.parameters), uses_of(function))
    walk.block(function.body)
    return walk.found


class Scopes:
    """From the first statement to the last; what is known in a block is known in those inside of it."""

    def __init__(self, known: set[str], uses: Uses) -> None:
        self.found: set[str] = set()
        self.known, self.uses = known, uses

    def block(self, block: Sequence[Statement], own: str = "") -> None:
        before = set(self.known)
        if own:
            self.assign([own])
        for statement in block:
            self.found |= self.uses.looks_at(statement) - self.known
            match statement:
                case Let(names=names):
                    self.assign(names)
                case For(name=name, body=body):
                    self.block(body, name)
                case _:
                    for inner in statement.blocks:
                        self.block(inner)
        self.known = before

    def assign(self, names: Sequence[str]) -> None:
        self.found.update(name for name in names if name in self.known)
        self.known.update(names)
