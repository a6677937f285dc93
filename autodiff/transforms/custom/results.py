"""What rules return, checked against what it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.trace.errors import RuleError, described
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tree import Structure, _parts, flatten


def result_leaves(who: str, result: Any) -> tuple[tuple[Any, ...], Structure]:
    """The leaves of a result, all of them arrays or numbers."""
    leaves, structure = flatten(result)
    for leaf in leaves:
        try:
            spec_of(leaf)
        except AttributeError:
            raise RuleError(f"{who} must return arrays and numbers, but returned a {type(leaf).__name__}") from None
    return tuple(leaves), structure


def matching_leaves(who: str, what: str, tree: Any, structure: Structure, specs: Sequence[Spec | None]) -> list[Any]:
    """The leaves of a derivative, checked against what it belongs to; None, anywhere in the tree, means zero."""
    found = spread_none(tree, structure)
    if found is None:
        raise RuleError(f"{who} returned {what} {flatten(tree)[1]}, but it belongs to {structure}; they must be alike")
    for leaf, spec in zip(found, specs, strict=True):
        if leaf is None or spec is None or not spec.inexact:
            continue
        try:
            own = spec_of(leaf)
        except AttributeError:
            own = None
        if own is None or own.shape != spec.shape:
            raise RuleError(f"{who} returned {what} {described(leaf)} for {spec!r}; the shapes must be equal")
    return found


def spread_none(tree: Any, structure: Structure) -> list[Any] | None:
    """The leaves of a tree in which None may stand for any subtree; None where it does not fit the structure."""
    if tree is None:
        return [None] * structure.count
    parts = _parts(tree)
    if structure.kind is None or parts is None:
        return [tree] if structure.kind is None and parts is None else None
    extra, children = parts
    if type(tree) is not structure.kind or extra != structure.extra or len(children) != len(structure.children):
        return None
    leaves: list[Any] = []
    for child, its in zip(children, structure.children, strict=True):
        own = spread_none(child, its)
        if own is None:
            return None
        leaves.extend(own)
    return leaves
