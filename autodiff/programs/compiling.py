"""Code objects of rewritten modules, and of single functions in them."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

from autodiff.numpy.namespace import KNOWN
from autodiff.programs.calls import NAMES
from autodiff.programs.counterparts import home_of
from autodiff.programs.rewriting import rewritten
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import REWRITTEN, at_user_line


def compiled(source: str | bytes, filename: str, bound: frozenset[str] = frozenset()) -> CodeType:
    """The code of a module, rewritten; lines and columns are those of the source."""
    code = compile(rewritten(ast.parse(source, filename), bound), filename, "exec", dont_inherit=True)
    for part in all_code(code):
        REWRITTEN[id(part)] = part
    return code


def all_code(code: CodeType) -> Iterator[CodeType]:
    """A code object and all that are inside of it, in the order in which they are written."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_code(constant)


@lru_cache(64)
def pairs_of(source: str, filename: str, bound: frozenset[str]) -> list[tuple[CodeType, CodeType]]:
    """All code objects of a source as they are, each with itself rewritten."""
    plain = compile(source, filename, "exec", dont_inherit=True)
    return list(zip(all_code(plain), all_code(compiled(source, filename, bound)), strict=True))


def outline(code: CodeType) -> tuple[Any, ...]:
    """What tells the code of functions in one file apart, mostly."""
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_name, code.co_firstlineno, code.co_varnames[:count], code.co_freevars


def code_of(function: FunctionType) -> CodeType:
    """The code of a function, rewritten.

    Raises:
        DifferentiationError: if its source is not there, or is not what it was made from.
    """
    own = function.__code__
    if id(own) in REWRITTEN:
        return own
    lines = linecache.getlines(own.co_filename, function.__globals__)
    if not lines:
        raise DifferentiationError(
            f"the source of {function.__qualname__} is not there{at_user_line()}: it was made by exec, or typed into "
            f"an interpreter that forgets ({own.co_filename}); write it into a file or a notebook"
        )
    pairs = pairs_of("".join(lines), own.co_filename, frozenset(bound_names(function)))
    found = [pair for pair in pairs if outline(pair[0]) == outline(own)]
    if len(found) > 1:
        found = [pair for pair in found if pair[0] == own][:1]
    if not found:
        raise DifferentiationError(
            f"{function.__qualname__} is not in its source, {own.co_filename}, line {own.co_firstlineno}"
            f"{at_user_line()}: the file has changed since it was loaded; load it again"
        )
    function.__globals__.update(NAMES)
    return found[0][1]


def bound_names(function: FunctionType) -> Iterator[str]:
    """Names that stand for something of NumPy's or SciPy's, which the source does not import: notebooks do elsewhere.

    They are global, or stand for objects of SciPy's in a function around it.
    """
    for name, value in list(function.__globals__.items()):
        if id(value) in KNOWN or (home_of(value).partition(".")[0] in ("numpy", "scipy") and not name.startswith("__")):
            yield name
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if cell != CellType() and home_of(cell.cell_contents).partition(".")[0] == "scipy":
            yield name
