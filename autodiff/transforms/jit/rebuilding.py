"""Functions that build a tree of its leaves, printed for one structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from autodiff.trace.trees.containers import is_registered, rebuild
from autodiff.trace.trees.tree import LEAF, READABLE, TreeDef

FILE = "<autodiff rebuild>"
MANY = 512
"""Trees with more leaves are built in general code: printing takes as long as many builds."""


def rebuilder(structure: TreeDef) -> Callable[[tuple[Any, ...]], Any] | None:
    """A function from the leaves to the tree; None where the tree is its one leaf."""
    if structure is LEAF or structure.kind is None:
        return None
    if structure.count > MANY or structure.depth > READABLE:
        return structure.unflatten
    scope: dict[str, Any] = {"rebuild": rebuild}
    names = "".join(f"x{k}, " for k in range(structure.count))
    text = f"def build(leaves):\n    ({names}) = leaves\n    return {expression(structure, count(), scope)}\n"
    exec(compile(text, FILE, "exec"), scope)
    return scope["build"]  # type: ignore[no-any-return]


def expression(structure: TreeDef, numbers: Iterator[int], scope: dict[str, Any]) -> str:
    """The expression that builds a tree."""
    kind, extra = structure.kind, structure.extra
    if kind is None:
        return f"x{next(numbers)}"
    parts = [expression(child, numbers, scope) for child in structure.children]
    if kind is tuple:
        return f"({''.join(f'{part}, ' for part in parts)})"
    if kind is list:
        return f"[{', '.join(parts)}]"
    if kind is dict:
        return "{" + ", ".join(f"{named(key, scope)}: {part}" for key, part in zip(extra, parts, strict=True)) + "}"
    if kind is type(None):
        return "None"
    if issubclass(kind, tuple) and not is_registered(kind):
        return f"{named(kind, scope)}({', '.join(parts)})"
    return f"rebuild({named(kind, scope)}, {named(extra, scope)}, ({''.join(f'{part}, ' for part in parts)}))"


def named(value: Any, scope: dict[str, Any]) -> str:
    """A value as it is written: short texts as they are, anything else by a name in the scope."""
    if type(value) is str and value.isidentifier():
        return repr(value)
    name = f"given_{len(scope)}"
    scope[name] = value
    return name
