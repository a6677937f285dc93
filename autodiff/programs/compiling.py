"""Code objects of rewritten modules, and of single functions in them; Numba gets them as they are written."""

from __future__ import annotations

import hashlib
import linecache
import marshal
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from autodiff.backends import cache
from autodiff.numpy.namespace import KNOWN, ORIGINALS, StandIn, Substitute, enter
from autodiff.programs import bindings, counterparts, matching, rewriting
from autodiff.programs.calls import NAMES
from autodiff.programs.counterparts import FINDERS, home_of, is_a
from autodiff.programs.rewriting import rewritten
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import REWRITTEN, at_user_line
from autodiff.trace.syntax import parse

LARGE = 1 << 12
"""Sources of so many characters are kept on disk, rewritten and compiled: that takes a millisecond for ten lines."""


def compiled(source: str | bytes, filename: str, bound: frozenset[str] = frozenset()) -> CodeType:
    """The code of a module, rewritten; lines and columns are those of the source."""
    text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    lasting = len(text) >= LARGE and b"import *" not in text  # which binds what other modules have by then
    key = key_of(text, filename, bound) if lasting else b""
    kept = cache.read(key, cache.PROGRAM) if lasting else None
    code: CodeType
    if kept is not None:
        code = marshal.loads(kept)
    else:
        code = compile(rewritten(parse(source, filename), bound), filename, "exec", dont_inherit=True)
        if lasting:
            cache.write(key, marshal.dumps(code), cache.PROGRAM)
    for part in all_code(code):
        REWRITTEN[id(part)] = part
    return code


def key_of(text: bytes, filename: str, bound: frozenset[str]) -> bytes:
    """What the code of a rewritten source follows from."""
    found = hashlib.sha256(rewriter())
    found.update(repr((filename, sorted(bound))).encode("utf-8", "surrogatepass"))
    found.update(text)
    return found.digest()


@lru_cache(1)
def rewriter() -> bytes:
    """What rewrites: the text of these modules, and the form of this Python's code."""
    parts = (Path(str(module.__file__)).read_bytes() for module in (bindings, matching, rewriting))
    return MAGIC_NUMBER + hashlib.sha256(b"".join(parts)).digest()


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


def written_code(code: CodeType) -> CodeType:
    """The code that was rewritten to another one, which is in a module's source; others as they are."""
    if id(code) not in REWRITTEN:
        return code
    pairs = pairs_of("".join(linecache.getlines(code.co_filename)), code.co_filename, frozenset())
    found = [plain for plain, own in pairs if outline(own) == outline(code) and own == code]
    return found[0] if found else code


def with_code(function: FunctionType, code: CodeType) -> FunctionType:
    """A function with other code; all else is the same."""
    again = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    again.__kwdefaults__ = function.__kwdefaults__
    again.__dict__.update(function.__dict__)
    for name in ("__doc__", "__qualname__", "__module__", "__annotations__"):
        setattr(again, name, getattr(function, name))
    return again


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


class Compiler(Substitute):
    """What stands for a function of Numba's.

    Attributes:
        original: the function.
    """

    def __init__(self, original: FunctionType) -> None:
        self.original = original

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self.original(*map(as_written, args), **kwargs)
        return Compiler(found) if is_a(found, FunctionType) and home_of(found).startswith("numba.") else found


def as_written(value: Any) -> Any:
    """A function, or a class with its methods, as in its source; of what stands for something that; others as is."""
    if is_a(value, FunctionType):
        return with_code(value, written_code(value.__code__))
    if is_a(value, type):
        for method in vars(value).values():
            if is_a(method, FunctionType):
                method.__code__ = written_code(method.__code__)
    return ORIGINALS.get(id(value), value)


def of_numba(value: Any) -> Any:
    """What stands for a module or function of Numba's."""
    if is_a(value, ModuleType):
        return enter(value, StandIn(value, counterparts.counterpart))
    return enter(value, Compiler(value)) if is_a(value, FunctionType) else value


FINDERS["numba"] = of_numba
