"""Which names of a function need a place on the stack: those that are not one value wherever they are read."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autodiff.backends.numba.vectors.liveness import Names, names_of


def changing(function: ast.FunctionDef) -> set[str]:
    """The names that are assigned where they have a value already, or read outside of the block that assigns them."""
    walk = _Walk({argument.arg for argument in function.args.args}, names_of(function))
    walk.block(function.body)
    return walk.found


class _Walk:
    """From the first statement to the last; what is known in a block is known in those inside of it."""

    def __init__(self, known: set[str], names: Names) -> None:
        self.found: set[str] = set()
        self.known, self.names = known, names

    def block(self, statements: Sequence[ast.stmt], *own: ast.expr) -> None:
        before = set(self.known)
        for each in own:
            self.assign(self.names.writes(each))
        for statement in statements:
            self.statement(statement)
        self.known = before

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.For(target, iterated, body):
                self.read(iterated)
                self.block(body, target)
            case ast.While(test, body):
                self.read(test)
                self.block(body)
            case ast.If(test, body, orelse):
                self.read(test)
                self.block(body)
                self.block(orelse)
            case _:
                reads, writes = self.names.of(node)
                self.found |= reads - self.known
                self.assign(writes)

    def read(self, node: ast.expr) -> None:
        self.found |= self.names.reads(node) - self.known

    def assign(self, names: set[str]) -> None:
        self.found |= names & self.known
        self.known |= names
