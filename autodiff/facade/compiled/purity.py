"""Whether the code of a function does nothing but compute, so that its values tell what it does.

Functions of this package that are applied to Variables are known to. Of others the code is read: what else than
arithmetic it could do has a name.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType

BUILTINS = frozenset(
    {"abs", "all", "any", "bool", "complex", "divmod", "enumerate", "float", "int", "len", "list", "max", "min", "pow",
     "range", "reversed", "round", "slice", "sorted", "sum", "tuple", "zip", "True", "False", "None"}
)  # fmt: skip
"""What a function may call of Python's own: nothing that asks what an array is, or that has an effect."""

EFFECTS = frozenset(
    {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME", "STORE_NAME", "LOAD_NAME",
     "YIELD_VALUE", "LOAD_BUILD_CLASS"}
)  # fmt: skip
ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"})
AVOIDED = frozenset({"random", "chainer", "config", "facade", "errstate", "seterr", "seterrcall", "set_printoptions"})
"""Attributes behind which there is more than arithmetic."""

OWN = "autodiff."
MANY = 4096
known: dict[int, tuple[CodeType, tuple[str, ...] | str]] = {}
"""By the id of a code object, which is kept: the global names that it reads, or why it is not pure."""


class UnknowableError(Exception):
    """What a function does cannot be told from what it is made of."""


def global_names(fun: FunctionType) -> tuple[str, ...]:
    """The global names on which the values of a function depend.

    Raises:
        UnknowableError: if it does more than compute.
    """
    code = fun.__code__
    found = known.get(id(code))
    if found is None:
        if len(known) >= MANY:
            known.clear()
        found = known[id(code)] = code, looked_at(fun)
    names = found[1]
    if isinstance(names, str):
        raise UnknowableError(names)
    return names


def looked_at(fun: FunctionType) -> tuple[str, ...] | str:
    """The global names that a function reads, or why it is not pure."""
    if str(fun.__globals__.get("__name__")).startswith(OWN):
        return ()
    names: dict[str, None] = {}
    for code in codes(fun.__code__):
        if code.co_exceptiontable:
            return f"{fun.__qualname__} has a try or with statement"
        for instruction in dis.get_instructions(code):
            name, argument = instruction.opname, instruction.argval
            generator = code is not fun.__code__ and name == "YIELD_VALUE"
            outside = name in ("STORE_DEREF", "DELETE_DEREF") and argument in fun.__code__.co_freevars
            if (name in EFFECTS and not generator) or outside:
                return f"{fun.__qualname__} does more than compute ({name})"
            if name in ATTRIBUTES and (argument in AVOIDED or str(argument).startswith("_")):
                return f"{fun.__qualname__} uses .{argument}"
            if name == "LOAD_GLOBAL":
                names[argument] = None
    return tuple(names)


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object, and those of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)
