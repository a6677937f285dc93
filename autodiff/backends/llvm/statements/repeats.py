"""Loops that a long kernel has many times: each is printed once, as a function that is called.

The layers of a network and the steps of an unrolled simulation are loops that differ in names alone. LLVM takes longer
than proportionally to the number of loops in one function, and a call takes a nanosecond or two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autodiff.backends.language import tree
from autodiff.backends.language.names import read_after_loops, uses_of
from autodiff.backends.language.tree import Expression, For, Function, Leave, Statement, statements
from autodiff.backends.language.types import Type
from autodiff.backends.llvm.vectors.tree import Node, Plan, Store

LONG = 400
"""So many statements make a long kernel."""

OFTEN = 3
"""So often a loop must be there."""


@dataclass(frozen=True)
class Repeat:
    """One of several loops that do the same.

    Attributes:
        key: what they have in common.
        given: the names that it reads of what was before it.
        result: the name that it gives a value which is read after it; empty if there is none.
    """

    key: str
    given: tuple[str, ...]
    result: str


def repeats_in(kernel: Function, plans: Mapping[For, Plan]) -> dict[For, Repeat]:
    """The loops of a long kernel that are there often, no two of them in each other.

    Args:
        kernel: where they are.
        plans: the loops that are printed as vectors.
    """
    every = list(statements(kernel.body))
    loops = [each for each in every if isinstance(each, For)]
    if len(every) < LONG or len(loops) < OFTEN:
        return {}
    uses, after = uses_of(kernel), read_after_loops(kernel)
    found = {}
    for loop in loops:
        results = uses.assigned(loop) & after[loop]
        returns = any(isinstance(each, Leave) and each.how == "return" for each in statements([loop]))
        if len(results) <= 1 and not returns:
            reader = _Reader(kernel.types, plans)
            text = " ".join(reader.statement(loop))
            given = tuple(name for name in reader.names if name in uses.of(loop).read_first)
            types = " ".join(f"{reader.names[name]}: {kernel.types[name]}" for name in given)
            result = next(iter(results), "")
            found[loop] = Repeat(f"{text} | {types} | {reader.names.get(result)}", given, result)
    often = Counter(each.key for each in found.values())
    return dict(outermost(kernel.body, {loop: each for loop, each in found.items() if often[each.key] >= OFTEN}))


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

    Attributes:
        names: in the order in which they were met, and their numbers.
    """

    def __init__(self, types: Mapping[str, Type], plans: Mapping[For, Plan]) -> None:
        self.types, self.plans = types, plans
        self.names: dict[str, int] = {}

    def number(self, name: str) -> str:
        return f"n{self.names.setdefault(name, len(self.names))}"

    def statement(self, node: Statement) -> Iterator[str]:
        """Its words."""
        match node:
            case tree.Let(names, values):
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
        if not isinstance(node, tree.Let):
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
            case tree.Load(element):
                yield f"load {element}"
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
