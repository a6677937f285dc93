"""A loop over short loops as one without loops in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autodiff.backends.language.conversion import rebuilt_statement
from autodiff.backends.language.tree import For, Let, Name, Number, Statement, Store

MOST = 64  # statements of a round


def written_out(node: For) -> For | None:
    """The loop with the loops in its body written out; None if they are too long, or not of known lengths."""
    body = statements(node.body)
    return None if body is None else replace(node, body=tuple(body))


def statements(block: Sequence[Statement]) -> list[Statement] | None:
    """Statements without loops in them."""
    found: list[Statement] = []
    for each in block:
        match each:
            case For(name, Number(0), Number(int(length)), 1, body):
                inner = statements(body)
                if inner is None or not length or len(inner) * length > MOST:
                    return None
                for number in range(length):
                    found += [numbered(statement, name, number) for statement in inner]
            case Let((_,)) | Store():
                found.append(each)
            case _:
                return None
    return found if len(found) <= MOST else None


def numbered(statement: Statement, name: str, number: int) -> Statement:
    """A statement with a number in place of the variable of a loop."""
    value = Number(number, "i8")
    return rebuilt_statement(statement, lambda part: value if isinstance(part, Name) and part.name == name else None)
