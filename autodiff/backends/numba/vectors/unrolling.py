"""A loop over short loops as one without loops in it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

MOST = 64  # statements of a round


def written_out(node: ast.For) -> ast.For | None:
    """The loop with the loops in its body written out; None if they are too long, or not of known lengths."""
    body = statements(node.body)
    if body is None:
        return None
    return ast.copy_location(ast.For(node.target, node.iter, body, []), node)


def statements(block: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """Statements without loops in them."""
    found: list[ast.stmt] = []
    for each in block:
        match each:
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [ast.Constant(int(length))], []), body, []):
                inner = statements(body)
                if inner is None or not length or len(inner) * length > MOST:
                    return None
                for number in range(length):
                    found += [numbered(statement, name, number) for statement in inner]
            case ast.Assign() | ast.Expr():
                found.append(each)
            case _:
                return None
    return found if len(found) <= MOST else None


def numbered(node: Any, name: str, number: int) -> Any:
    """A copy of a part of a text with a number in place of the variable of a loop."""
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Constant(number), node) if node.id == name else node
    if isinstance(node, list):
        return [numbered(each, name, number) for each in node]
    if not isinstance(node, ast.expr | ast.stmt) or isinstance(node, ast.Constant):
        return node
    fields = [numbered(getattr(node, field), name, number) for field in node._fields]
    return ast.copy_location(type(node)(*fields), node)
