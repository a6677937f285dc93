"""Which names are read after each loop of a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def names_after_loops(function: ast.FunctionDef) -> dict[ast.For, set[str]]:
    """The names that may be read after a loop, before they are assigned again."""
    walk = _Walk()
    walk.before(function.body, set())
    return walk.found


def reads(node: ast.AST) -> set[str]:
    """The names that a node reads."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}


def writes(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that nodes assign."""
    found = (each for node in nodes for each in ast.walk(node))
    return {each.id for each in found if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


class _Walk:
    """From the last statement to the first."""

    def __init__(self) -> None:
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
                return self.loop(statement.target, body, live) | reads(iterated)
            case ast.While(test, body):
                return self.loop(test, body, live)
            case ast.If(test, body, orelse):
                return reads(test) | self.before(body, live) | self.before(orelse, live)
            case ast.Break():
                return set(self.leaving[-1][0])
            case ast.Continue():
                return set(self.leaving[-1][1])
            case ast.Return():
                return reads(statement)
            case ast.AugAssign(ast.Name(name), _, value):
                return live | {name} | reads(value)
        return (live - writes([statement])) | reads(statement)

    def loop(self, head: ast.expr, body: Sequence[ast.stmt], live: set[str]) -> set[str]:
        """What is read before a loop: it may run no time, or once more."""
        around = live | reads(head)
        while True:
            self.leaving.append((live, around))
            inside = (self.before(body, around) - writes([head])) | reads(head) | live
            self.leaving.pop()
            if inside <= around:
                return around
            around = around | inside
