"""Python's syntax trees, also where several threads ask for one."""

from __future__ import annotations

import ast
from typing import Literal, overload

ATTEMPTS = 100
"""Each fails only if another thread took over in the middle of it, which a collection of garbage alone allows."""


@overload
def parse(source: str | bytes, filename: str = ..., mode: Literal["exec"] = ...) -> ast.Module: ...


@overload
def parse(source: str | bytes, filename: str = ..., *, mode: Literal["eval"]) -> ast.Expression: ...


def parse(source: str | bytes, filename: str = "<unknown>", mode: Literal["exec", "eval"] = "exec") -> ast.AST:
    """The tree of a text, as :func:`ast.parse` makes it.

    Python 3.11 and 3.12 count the depth of the tree in a place that threads share, and find that the count is wrong
    where a second thread parsed meanwhile. Nothing is wrong with the text then, nor is anything left over, so it is
    parsed again.

    Raises:
        SyntaxError: if the text is no Python.

    >>> ast.unparse(parse("x+1", mode="eval"))
    'x + 1'
    """
    for _ in range(ATTEMPTS):
        try:
            tree: ast.AST = compile(source, filename, mode, ast.PyCF_ONLY_AST, dont_inherit=True)
        except SystemError as error:
            if "recursion depth mismatch" not in str(error):
                raise
            failed = error
        else:
            return tree
    raise failed
