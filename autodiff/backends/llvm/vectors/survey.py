"""The innermost loops of a function, with what is known where they begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf

from autodiff.backends.language.names import Uses, read_after_loops, uses_of
from autodiff.backends.language.polynomials import Polynomial, constant, polynomial, symbol
from autodiff.backends.language.tree import (
    Array,
    Expression,
    For,
    Function,
    If,
    Let,
    Name,
    Shifted,
    Statement,
    While,
    statements,
)
from autodiff.backends.language.types import Pointer, Type
from autodiff.backends.llvm.vectors.unrolling import written_out

ROOM = "room "  # how the symbols of parts of a kernel's own memory begin
MEMORY = "memory"  # what its own memory is called


@dataclass(frozen=True)
class Loop:
    """An innermost loop.

    Attributes:
        node: the loop; the loops in it are written out.
        original: the loop in the kernel.
        types: of all names.
        values: whole numbers and addresses, in bytes, as polynomials.
        bounds: between which numbers the symbols of those lie, where that is known.
        after: the names that are read after the loop.
        uses: what parts of the function read and assign.
    """

    node: For
    original: For
    types: Mapping[str, Type]
    values: Mapping[str, Polynomial]
    bounds: Mapping[str, tuple[float, float]]
    after: frozenset[str]
    uses: Uses


def innermost_loops(function: Function, better: Callable[[Loop], bool]) -> list[Loop]:
    """The loops without loops in them.

    Args:
        function: where to look.
        better: whether a loop over short loops should rather be one without, those written out in its body.
    """
    if not any(isinstance(each, For) for each in statements(function.body)):
        return []
    return list(_Survey(function, better).block(function.body))


class _Survey:
    """From the first statement to the last.

    A name has the value that was assigned to it, as long as one assignment alone reaches the place; else a new symbol.
    """

    def __init__(self, function: Function, better: Callable[[Loop], bool]) -> None:
        self.better = better
        self.types = function.types
        self.uses = uses_of(function)
        self.after = read_after_loops(function)
        self.values: dict[str, Polynomial] = {}
        self.bounds: dict[str, tuple[float, float]] = {}
        self.numbers = count()
        self.forget(function.parameters)

    def forget(self, names: Sequence[str] | frozenset[str]) -> None:
        """Names have values of which nothing is known."""
        for name in names:
            type_ = self.types[name]
            if isinstance(type_, Pointer) or type_ in ("i4", "i8"):
                self.values[name] = symbol(f"{name} {next(self.numbers)}")

    def block(self, block: Sequence[Statement]) -> Iterator[Loop]:
        for statement in block:
            match statement:
                case Let((name,), (value,)):
                    self.assign(name, value)
                case For():
                    yield from self.loop(statement)
                case While(body=body):
                    self.forget(self.uses.assigned(*body))
                    yield from self.block(body)
                    self.forget(self.uses.assigned(*body))
                case If(body=body, orelse=orelse):
                    known = dict(self.values)
                    yield from self.block(body)
                    self.values = dict(known)
                    yield from self.block(orelse)
                    self.values = known
                    self.forget(self.uses.assigned(statement))
                case _:
                    self.forget(self.uses.assigned(statement))

    def assign(self, name: str, value: Expression) -> None:
        self.forget([name])
        if name in self.values:
            found = address(value, self.values) or polynomial(value, self.values)
            if found is not None:
                self.values[name] = found

    def loop(self, node: For) -> Iterator[Loop]:
        self.forget(self.uses.assigned(node))
        (own,) = self.values[node.name].symbols
        self.bounds[own] = self.reach(node)
        inner = list(statements(node.body))
        variables = {each.name for each in inner if isinstance(each, For)}
        lone = not any(isinstance(each, For | While) for each in inner)
        flat = node if lone else None if variables & self.after[node] else written_out(node)
        if flat is not None:
            values, bounds = dict(self.values), dict(self.bounds)
            found = Loop(flat, node, self.types, values, bounds, self.after[node], self.uses)
        if flat is not None and (lone or self.better(found)):
            yield found
        else:
            yield from self.block(node.body)
        self.forget(self.uses.assigned(node))

    def reach(self, node: For) -> tuple[float, float]:
        """Between which numbers the variable of a loop lies."""
        start, stop = polynomial(node.start, self.values), polynomial(node.stop, self.values)
        if start is None or stop is None:
            return -inf, inf
        first, last = start.interval(self.bounds), stop.interval(self.bounds)
        return (first[0], last[1] - 1) if node.step > 0 else (last[0] + 1, first[1])


def address(node: Expression, values: Mapping[str, Polynomial]) -> Polynomial | None:
    """An address in bytes; None for other expressions.

    The parts of a kernel's own memory begin at different numbers and share nothing: each is a symbol of its own.
    """
    match node:
        case Array(_, word):
            return symbol(f"word {word}")
        case Shifted(base, offset):
            first = values.get(base.name) if isinstance(base, Name) else address(base, values)
            second = polynomial(offset, values)
            if first is None or second is None:
                return None
            if isinstance(base, Name) and base.name == MEMORY:
                place = constant(second.terms.get((), 0))
                return symbol(f"{ROOM}{place.number}") + second - place
            return first + second
    return None
