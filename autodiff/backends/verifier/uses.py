"""Which names the statements of a kernel give values to, and which they may read before."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Use:
    """What statements do with names.

    Attributes:
        assigned: the names that they may give values to.
        certain: those that they do give values to, however they run.
        read_first: those that they may read before.
    """

    assigned: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()
    read_first: frozenset[str] = frozenset()


class Uses:
    """Looks at each statement once."""

    def __init__(self) -> None:
        self.found: dict[ast.stmt, Use] = {}

    def of_all(self, statements: Sequence[ast.stmt]) -> Use:
        """One statement after another."""
        assigned: set[str] = set()
        certain: set[str] = set()
        read: set[str] = set()
        for statement in statements:
            use = self.of(statement)
            read |= use.read_first - certain
            assigned |= use.assigned
            certain |= use.certain
        return Use(frozenset(assigned), frozenset(certain), frozenset(read))

    def of(self, statement: ast.stmt) -> Use:
        """One statement."""
        found = self.found.get(statement)
        if found is None:
            found = self.found[statement] = self.looked_at(statement)
        return found

    def looked_at(self, statement: ast.stmt) -> Use:
        match statement:
            case ast.AugAssign(ast.Name(name), _, value):
                return Use(frozenset({name}), frozenset({name}), read_in(value) | {name})
            case ast.For(ast.Name(name), iterated, body):
                inside = self.of_all(body)  # of which there may be no round: nothing is certain
                return Use(inside.assigned | {name}, frozenset(), read_in(iterated) | inside.read_first - {name})
            case ast.While(test, body):
                inside = self.of_all(body)
                return Use(inside.assigned, frozenset(), read_in(test) | inside.read_first)
            case ast.If(test, body, orelse):
                one, other = self.of_all(body), self.of_all(orelse)
                read = read_in(test) | one.read_first | other.read_first
                return Use(one.assigned | other.assigned, one.certain & other.certain, read)
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        written = frozenset(node.id for node in names if isinstance(node.ctx, ast.Store))
        return Use(written, written, frozenset(node.id for node in names if isinstance(node.ctx, ast.Load)))


def read_in(node: ast.expr) -> frozenset[str]:
    """The names in an expression."""
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
