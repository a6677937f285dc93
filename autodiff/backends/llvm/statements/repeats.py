"""Loops that a long kernel has many times: each is printed once, as a function that is called.

The layers of a network and the steps of an unrolled simulation are loops that differ in names alone. LLVM takes longer
than proportionally to the number of loops in one function, and a call takes a nanosecond or two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autodiff.backends.language import tree
from autodiff.backends.language.conversion import rebuilt_statement
from autodiff.backends.language.names import read_after_loops, uses_of
from autodiff.backends.language.tree import (
    Expression,
    For,
    Function,
    If,
    Leave,
    Let,
    Name,
    Number,
    Statement,
    While,
    statements,
)
from autodiff.backends.language.types import Type
from autodiff.backends.llvm.vectors.tree import Node, Plan, Store

LONG = 400
"""So many statements make a long kernel."""

PLACE = "place."
"""How the names of places begin; no text has such."""

OFTEN = 3
"""So often a loop must be there."""


@dataclass(frozen=True)
class Repeat:
    """One of several loops that do the same.

    Attributes:
        key: what they have in common.
        given: the names that it reads of what was before it; the result's, too, which it has where there is no round.
        result: the name that it gives a value which is read after it; empty if there is none.
    """

    key: str
    given: tuple[str, ...]
    result: str


def with_places_named(kernel: Function) -> Function:
    """A long kernel in which loops that differ in numbers of their places alone have names for these, and are equal.

    An unrolled step reads its own row of an array: in place of ``load_float64(x, 35 + j)`` it has
    ``load_float64(x, place.7 + j)``, behind ``place.7 = 35``.
    """
    found = {}
    for loop in loops_in(kernel):
        reader = _Reader(kernel.types, {}, with_places=True)
        found[loop] = " ".join(reader.statement(loop)), reader.places
    often = Counter(text for text, _ in found.values())
    alike: dict[str, list[list[Number]]] = {}
    for text, places in found.values():
        alike.setdefault(text, []).append(places)
    differ = {
        text: [k for k, values in enumerate(zip(*places, strict=True)) if len({each.value for each in values}) > 1]
        for text, places in alike.items()
        if often[text] >= OFTEN
    }
    chosen = {loop: [places[k] for k in differ[text]] for loop, (text, places) in found.items() if differ.get(text)}
    if not chosen:
        return kernel
    types = dict(kernel.types)

    def named(loop: For) -> Iterator[Statement]:
        """A loop behind the numbers of its places."""
        names: dict[int, Name] = {}
        for number in chosen[loop]:
            names[id(number)] = name = Name(f"{PLACE}{len(types)}", "i8")
            types[name.name] = "i8"
            yield Let((name.name,), (number,), loop.line)

        def change(part: Expression) -> Expression | None:
            return names.get(id(part))

        yield rebuilt_statement(loop, change)

    def block(inner: Sequence[Statement]) -> Iterator[Statement]:
        for each in inner:
            match each:
                case For() if each in chosen:
                    yield from named(each)
                case For(body=body) | While(body=body):
                    yield replace(each, body=tuple(block(body)))
                case If(body=body, orelse=orelse):
                    yield replace(each, body=tuple(block(body)), orelse=tuple(block(orelse)))
                case _:
                    yield each

    return replace(kernel, body=tuple(block(kernel.body)), types=types)


def repeats_in(kernel: Function, plans: Mapping[For, Plan]) -> dict[For, Repeat]:
    """The loops of a long kernel that are there often, no two of them in each other.

    Args:
        kernel: where they are.
        plans: the loops that are printed as vectors.
    """
    found = {}
    uses, after = uses_of(kernel), read_after_loops(kernel)
    for loop in loops_in(kernel):
        results = uses.assigned(loop) & after[loop]
        if len(results) <= 1:
            reader = _Reader(kernel.types, plans)
            text = " ".join(reader.statement(loop))
            given = tuple(name for name in reader.names if name in uses.of(loop).read_first | results)
            types = " ".join(f"{reader.names[name]}: {kernel.types[name]}" for name in given)
            result = next(iter(results), "")
            found[loop] = Repeat(f"{text} | {types} | {reader.names.get(result)}", given, result)
    often = Counter(each.key for each in found.values())
    return dict(outermost(kernel.body, {loop: each for loop, each in found.items() if often[each.key] >= OFTEN}))


def loops_in(kernel: Function) -> list[For]:
    """The loops of a long kernel that do not leave it; none of a short one."""
    every = list(statements(kernel.body))
    loops = [each for each in every if isinstance(each, For)]
    if len(every) < LONG or len(loops) < OFTEN:
        return []
    leaving = {each for each in every if isinstance(each, Leave) and each.how == "return"}
    return [each for each in loops if not leaving.intersection(statements(each.body))] if leaving else loops


def outermost(block: Sequence[Statement], repeats: Mapping[For, Repeat]) -> Iterator[tuple[For, Repeat]]:
    """The loops that are in no other one of them."""
    for statement in block:
        if isinstance(statement, For) and statement in repeats:
            yield statement, repeats[statement]
        else:
            for inner in statement.blocks:
                yield from outermost(inner, repeats)


class _Reader:
    """Says what a loop does, with numbers in place of names.

    Args:
        types: of names.
        plans: the loops that are printed as vectors.
        with_places: whether what is added to a place does not count.

    Attributes:
        names: in the order in which they were met, and their numbers.
        places: the numbers that do not count.
    """

    def __init__(self, types: Mapping[str, Type], plans: Mapping[For, Plan], with_places: bool = False) -> None:
        self.types, self.plans, self.with_places = types, plans, with_places
        self.names: dict[str, int] = {}
        self.places: list[Number] = []

    def number(self, name: str) -> str:
        return f"n{self.names.setdefault(name, len(self.names))}"

    def statement(self, node: Statement) -> Iterator[str]:
        """Its words."""
        match node:
            case Let(names, values):
                yield "let"
                for value in values:
                    yield from self.expression(value)
                yield from map(self.number, names)
            case For(name, _, _, step):
                yield f"for {step} {self.number(name)}"
                yield from map(str, strides_of(self.plans[node]) if node in self.plans else ())
            case tree.Store(element) | tree.Run(element):
                yield f"{type(node).__name__} {element}"
            case Leave(how):
                yield how
            case _:
                yield type(node).__name__
        if isinstance(node, tree.Store):
            yield from self.expression(node.base)
            yield from self.place(node.index)
            yield from self.expression(node.value)
        elif not isinstance(node, Let):
            for part in node.parts:
                yield from self.expression(part)
        for block in node.blocks:
            yield "("
            for each in block:
                yield from self.statement(each)
            yield ")"

    def expression(self, node: Expression) -> Iterator[str]:
        """Its words."""
        match node:
            case tree.Name(name):
                yield self.number(name)
                return
            case tree.Number():
                yield str(node)
                return
            case tree.Array(_, word):
                yield f"array {word}"
            case tree.Load(element, base, index):
                yield f"load {element}"
                yield from self.expression(base)
                yield from self.place(index)
                return
            case tree.Convert(_, type_):
                yield f"to {type_}"
            case tree.Unary(sign) | tree.Binary(sign) | tree.Compare(sign) | tree.Call(sign):
                yield f"{sign} {len(node.parts)}"
            case tree.Conditions(every):
                yield f"{'all' if every else 'any'} {len(node.parts)}"
            case _:
                yield type(node).__name__
        for part in node.parts:
            yield from self.expression(part)

    def place(self, node: Expression) -> Iterator[str]:
        """The words of a place in an array."""
        match node:
            case Number(type="i8") if self.with_places:
                self.places.append(node)
                yield "place"
            case tree.Binary("+", left, right, "i8") if self.with_places:
                yield "sum"
                yield from self.place(left)
                yield from self.place(right)
            case _:
                yield from self.expression(node)


def strides_of(plan: Plan) -> Iterator[int | None]:
    """The length of a loop, and the strides of its loads and stores, in the order of its statements."""
    yield plan.length
    for statement in plan.statements:
        if isinstance(statement, Store):
            yield statement.place.stride
        yield from strides_in(statement.value)


def strides_in(node: Node) -> Iterator[int | None]:
    """The strides of the loads of an expression."""
    if node.operation == "load":
        yield node.detail.stride
    for operand in node.operands:
        yield from strides_in(operand)
