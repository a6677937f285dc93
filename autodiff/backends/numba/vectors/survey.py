"""The innermost loops of a function, with what is known where they begin."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf

from autodiff.backends.numba.vectors.elements import Pointer, Type, types_of_names
from autodiff.backends.numba.vectors.liveness import Names, names_after_loops, names_of
from autodiff.backends.numba.vectors.polynomials import Polynomial, constant, polynomial, symbol
from autodiff.backends.numba.vectors.unrolling import written_out

ROOM = "room "  # how the symbols of parts of a kernel's own memory begin
MEMORY = "memory"  # what its own memory is called


@dataclass(frozen=True)
class Loop:
    """An innermost loop.

    Attributes:
        node: the loop; the loops in it are written out.
        original: the loop in the text.
        types: of all names.
        values: whole numbers and addresses, in bytes, as polynomials.
        bounds: between which numbers the symbols of those lie, where that is known.
        after: the names that are read after the loop.
        names: what parts of the function read and assign.
    """

    node: ast.For
    original: ast.For
    types: Mapping[str, Type | None]
    values: Mapping[str, Polynomial]
    bounds: Mapping[str, tuple[float, float]]
    after: set[str]
    names: Names


def innermost_loops(function: ast.FunctionDef, better: Callable[[Loop], bool]) -> list[Loop]:
    """The loops without loops in them.

    Args:
        function: where to look.
        better: whether a loop over short loops should rather be one without, those written out in its body.
    """
    return list(_Survey(function, better).block(function.body)) if has_loops(function.body) else []


def has_loops(statements: Sequence[ast.stmt]) -> bool:
    """Whether there is a loop over a range among statements."""
    return any(
        isinstance(each, ast.For)
        or (isinstance(each, ast.While | ast.If) and (has_loops(each.body) or has_loops(each.orelse)))
        for each in statements
    )


class _Survey:
    """From the first statement to the last.

    A name has the value that was assigned to it, as long as one assignment alone reaches the place; else a new symbol.
    """

    def __init__(self, function: ast.FunctionDef, better: Callable[[Loop], bool]) -> None:
        self.better = better
        self.types = types_of_names(function)
        self.names = names_of(function)
        self.after = names_after_loops(function, self.names)
        self.values: dict[str, Polynomial] = {}
        self.bounds: dict[str, tuple[float, float]] = {}
        self.numbers = count()
        self.forget([argument.arg for argument in function.args.args])

    def forget(self, names: Sequence[str] | set[str]) -> None:
        """Names have values of which nothing is known."""
        for name in names:
            self.values.pop(name, None)
            type_ = self.types.get(name)
            if isinstance(type_, Pointer) or type_ in ("i4", "i8"):
                self.values[name] = symbol(f"{name} {next(self.numbers)}")

    def block(self, statements: Sequence[ast.stmt]) -> Iterator[Loop]:
        for statement in statements:
            match statement:
                case ast.Assign([ast.Name(name)], value):
                    self.assign(name, value)
                case ast.For():
                    yield from self.loop(statement)
                case ast.While(_, body):
                    self.forget(self.names.writes(*body))
                    yield from self.block(body)
                    self.forget(self.names.writes(*body))
                case ast.If(_, body, orelse):
                    known = dict(self.values)
                    yield from self.block(body)
                    self.values = dict(known)
                    yield from self.block(orelse)
                    self.values = known
                    self.forget(self.names.writes(statement))
                case _:
                    self.forget(self.names.writes(statement))

    def assign(self, name: str, value: ast.expr) -> None:
        self.forget([name])
        if name in self.values:
            found = address(value, self.values) or polynomial(value, self.values)
            if found is not None:
                self.values[name] = found

    def loop(self, node: ast.For) -> Iterator[Loop]:
        inner = [each for statement in node.body for each in ast.walk(statement)]
        self.forget(self.names.writes(node))
        if isinstance(node.target, ast.Name) and node.target.id in self.values:
            (own,) = self.values[node.target.id].symbols
            self.bounds[own] = self.reach(node.iter)
        variables = {
            each.target.id for each in inner if isinstance(each, ast.For) and isinstance(each.target, ast.Name)
        }
        lone = not any(isinstance(each, ast.For | ast.While) for each in inner)
        flat = node if lone else None if variables & self.after[node] else written_out(node)
        if flat is not None:
            values, bounds = dict(self.values), dict(self.bounds)
            found = Loop(flat, node, self.types, values, bounds, self.after[node], self.names)
        if flat is not None and (lone or self.better(found)):
            yield found
        else:
            yield from self.block(node.body)
        self.forget(self.names.writes(node))

    def reach(self, iterated: ast.expr) -> tuple[float, float]:
        """Between which numbers the variable of a loop lies."""
        if not isinstance(iterated, ast.Call):
            return -inf, inf
        limits = [polynomial(each, self.values) for each in iterated.args]
        if any(each is None for each in limits):
            return -inf, inf
        found = [each.interval(self.bounds) for each in limits if each is not None]
        start, stop = ((0.0, 0.0), found[0]) if len(found) == 1 else found[:2]
        step = limits[2].number if len(limits) == 3 and limits[2] is not None else 1
        if step is None:
            return -inf, inf
        return (start[0], stop[1] - 1) if step > 0 else (stop[0] + 1, start[1])


def address(node: ast.expr, values: Mapping[str, Polynomial]) -> Polynomial | None:
    """An address in bytes; None for other expressions.

    The parts of a kernel's own memory begin at different numbers and share nothing: each is a symbol of its own.
    """
    match node:
        case ast.Call(ast.Name("pointer"), [_, ast.Constant(int(word))], []):
            return symbol(f"word {word}")
        case ast.Call(ast.Name("shifted"), [base, offset], []):
            first = values.get(base.id) if isinstance(base, ast.Name) else address(base, values)
            second = polynomial(offset, values)
            if first is None or second is None:
                return None
            if isinstance(base, ast.Name) and base.id == MEMORY:
                place = constant(second.terms.get((), 0))
                return symbol(f"{ROOM}{place.number}") + second - place
            return first + second
    return None
