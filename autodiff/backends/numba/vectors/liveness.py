"""Which names are read after each loop of a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache


class Names:
    """The names that parts of a function read and assign, each part looked at once."""

    def __init__(self) -> None:
        self.found: dict[ast.AST, tuple[set[str], set[str]]] = {}

    def reads(self, node: ast.AST) -> set[str]:
        return self.of(node)[0]

    def writes(self, *nodes: ast.AST) -> set[str]:
        return set().union(*(self.of(node)[1] for node in nodes))

    def of(self, node: ast.AST) -> tuple[set[str], set[str]]:
        """What a node reads and what it assigns."""
        found = self.found.get(node)
        if found is None:
            found = self.found[node] = (set(), set())
            self.add(node, *found)
        return found

    def add(self, node: ast.AST, reads: set[str], writes: set[str]) -> None:
        """Add what a node reads and assigns."""
        if isinstance(node, ast.Name):
            (writes if isinstance(node.ctx, ast.Store) else reads).add(node.id)
            return
        for field in node._fields:
            value = getattr(node, field)
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.stmt):
                    for own, other in zip((reads, writes), self.of(child), strict=True):
                        own |= other
                elif isinstance(child, ast.expr) and not isinstance(child, ast.Constant):
                    self.add(child, reads, writes)


@lru_cache(maxsize=2)
def names_of(function: ast.FunctionDef) -> Names:
    """The names in the parts of a function."""
    return Names()


def names_after_loops(function: ast.FunctionDef, names: Names) -> dict[ast.For, set[str]]:
    """The names that may be read after a loop, before they are assigned again."""
    walk = _Walk(names)
    walk.before(function.body, set())
    return walk.found


class _Walk:
    """From the last statement to the first."""

    def __init__(self, names: Names) -> None:
        self.reads, self.writes = names.reads, names.writes
        self.found: dict[ast.For, set[str]] = {}
        self.leaving: list[tuple[set[str], set[str]]] = []  # what is read after `break`, and after `continue`

    def before(self, statements: Sequence[ast.stmt], live: set[str]) -> set[str]:
        """What is read from the first of some statements on, if `live` is after the last."""
        for statement in reversed(statements):
            live = self.one(statement, live)
        return live

    def one(self, statement: ast.stmt, live: set[str]) -> set[str]:
        match statement:
            case ast.For(_, iterated, body):
                self.found[statement] = self.found.get(statement, set()) | live
                return self.loop(statement.target, body, live) | self.reads(iterated)
            case ast.While(test, body):
                return self.loop(test, body, live)
            case ast.If(test, body, orelse):
                return self.reads(test) | self.before(body, live) | self.before(orelse, live)
            case ast.Break():
                return set(self.leaving[-1][0])
            case ast.Continue():
                return set(self.leaving[-1][1])
            case ast.Return():
                return self.reads(statement)
            case ast.AugAssign(ast.Name(name), _, value):
                return live | {name} | self.reads(value)
        return (live - self.writes(statement)) | self.reads(statement)

    def loop(self, head: ast.expr, body: Sequence[ast.stmt], live: set[str]) -> set[str]:
        """What is read before a loop: it may run no time, or once more."""
        around = live | self.reads(head)
        while True:
            self.leaving.append((live, around))
            inside = (self.before(body, around) - self.writes(head)) | self.reads(head) | live
            self.leaving.pop()
            if inside <= around:
                return around
            around = around | inside
