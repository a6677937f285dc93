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
        found[loop] = reader.text_of(loop), reader.places
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
            text = reader.text_of(loop)
            given = tuple(name for name in reader.names if name in uses.of(loop).read_first | results)
            types = " ".join(f"{reader.names[name]}: {kernel.types[name]}" for name in given)
            result = next(iter(results), "")
            found[loop] = Repeat(f"{text} | {types} | {reader.names.get(result)}", given, result)
    often = Counter(each.key for each in found.values())
    return dict(outermost(kernel.body, {loop: each for loop, each in found.items() if often[each.key] >= OFTEN}))


def plans_once(plans: Mapping[For, Plan], repeats: Mapping[For, Repeat]) -> Iterator[Plan]:
    """The plans of all loops, those of loops that are there often once."""
    known: set[str] = set()
    again: set[Statement] = set()
    for loop, repeat in repeats.items():
        if repeat.key in known:
            again.update(statements([loop]))
        known.add(repeat.key)
    return (plan for loop, plan in plans.items() if loop not in again)


def loops_in(kernel: Function) -> list[For]:
    """The loops of a long kernel that do not leave it and may be there often; none of a short one."""
    every = list(statements(kernel.body))
    if len(every) < LONG or sum(isinstance(each, For) for each in every) < OFTEN:
        return []
    outlines: dict[For, str] = {}
    for each in kernel.body:
        outline(each, outlines)
    often = Counter(outlines.values())
    loops = [each for each in every if isinstance(each, For) and often[outlines[each]] >= OFTEN]
    leaving = {each for each in every if isinstance(each, Leave) and each.how == "return"}
    return [each for each in loops if not leaving.intersection(statements(each.body))] if leaving else loops


def outline(statement: Statement, outlines: dict[For, str]) -> str:
    """The kinds of the statements in one, and those of all loops in it: loops that do the same have the same.

    To read what loops do takes so many times longer as they are inside of each other.
    """
    inner = [outline(each, outlines) for block in statement.blocks for each in block]
    found = f"{type(statement).__name__}({''.join(inner)})" if inner else type(statement).__name__[0]
    if isinstance(statement, For):
        outlines[statement] = found
    return found


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
        words: what was said so far.
    """

    def __init__(self, types: Mapping[str, Type], plans: Mapping[For, Plan], with_places: bool = False) -> None:
        self.types, self.plans, self.with_places = types, plans, with_places
        self.names: dict[str, int] = {}
        self.places: list[Number] = []
        self.words: list[str] = []

    def text_of(self, loop: For) -> str:
        """What it does."""
        self.statement(loop)
        return " ".join(self.words)

    def say(self, *words: str) -> None:
        self.words += words

    def number(self, name: str) -> str:
        return f"n{self.names.setdefault(name, len(self.names))}"

    def statement(self, node: Statement) -> None:
        """Say what it does."""
        match node:
            case Let(names, values):
                self.say("let")
                for value in values:
                    self.expression(value)
                self.say(*map(self.number, names))
                return
            case For(name, _, _, step):
                self.say(f"for {step} {self.number(name)}")
                self.say(*map(str, strides_of(self.plans[node]) if node in self.plans else ()))
            case tree.Store(element, base, index, value):
                self.say(f"Store {element}")
                self.expression(base)
                self.place(index)
                self.expression(value)
                return
            case tree.Run(name):
                self.say(f"Run {name}")
            case Leave(how):
                self.say(how)
            case _:
                self.say(type(node).__name__)
        for part in node.parts:
            self.expression(part)
        for block in node.blocks:
            self.say("(")
            for each in block:
                self.statement(each)
            self.say(")")

    def expression(self, node: Expression) -> None:
        """Say what it is."""
        match node:
            case tree.Name(name):
                self.say(self.number(name))
                return
            case tree.Number():
                self.say(str(node))
                return
            case tree.Array(_, word):
                self.say(f"array {word}")
            case tree.Load(element, base, index):
                self.say(f"load {element}")
                self.expression(base)
                self.place(index)
                return
            case tree.Convert(_, type_):
                self.say(f"to {type_}")
            case tree.Unary(sign) | tree.Binary(sign) | tree.Compare(sign) | tree.Call(sign):
                self.say(f"{sign} {len(node.parts)}")
            case tree.Conditions(every):
                self.say(f"{'all' if every else 'any'} {len(node.parts)}")
            case _:
                self.say(type(node).__name__)
        for part in node.parts:
            self.expression(part)

    def place(self, node: Expression) -> None:
        """Say where it is in an array."""
        match node:
            case Number(type="i8") if self.with_places:
                self.places.append(node)
                self.say("place")
            case tree.Binary("+", left, right, "i8") if self.with_places:
                self.say("sum")
                self.place(left)
                self.place(right)
            case _:
                self.expression(node)


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
