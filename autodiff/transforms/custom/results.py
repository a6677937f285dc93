"""What rules return, checked against what it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.trace.errors import RuleError, described
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.trees.containers import parts_of
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.trace.values.foreign import remedy
from autodiff.trace.values.leaves import as_leaf, is_leaf


def result_leaves(who: str, result: Any) -> tuple[tuple[Any, ...], TreeDef]:
    """The leaves of a result, all of them arrays or numbers."""
    leaves, structure = flatten(result)
    for leaf in leaves:
        if not is_leaf(leaf):
            then = remedy(leaf)
            text = f"{who} must return arrays and numbers, but returned a {type(leaf).__name__}"
            raise RuleError(f"{text}; {then}" if then else text)
    return tuple(map(as_leaf, leaves)), structure


def matching_leaves(
    who: str, what: str, tree: Any, structure: TreeDef, specs: Sequence[Spec | None], given: Sequence[Spec]
) -> list[Any]:
    """The leaves of a derivative, checked against what it belongs to; None, anywhere in the tree, means zero.

    Args:
        who: the rule, for error texts.
        what: that it returned, for error texts.
        tree: the derivative.
        structure: of what it belongs to.
        specs: of what it belongs to.
        given: the specs of what else the rule computes with. Where anything is complex, the real part of a complex
            number is the derivative of a real one; where nothing is, there is no reason for one.
    """
    real = not any(spec is not None and spec.dtype.kind == "c" for spec in (*specs, *given))
    found = spread_none(tree, structure)
    if found is None:
        raise RuleError(f"{who} returned {what} {flatten(tree)[1]}, but it belongs to {structure}; they must be alike")
    for k, (leaf, spec) in enumerate(zip(found, specs, strict=True)):
        if leaf is None or spec is None or not spec.inexact:
            continue
        if not is_leaf(leaf):
            then = remedy(leaf) or "return an array, a number or None"
            raise RuleError(f"{who} returned {what} {described(leaf)} for {spec!r}; {then}")
        found[k] = as_leaf(leaf)
        if spec_of(found[k]).shape != spec.shape:
            raise RuleError(f"{who} returned {what} {described(leaf)} for {spec!r}; the shapes must be equal")
        if real and spec_of(found[k]).dtype.kind == "c":
            raise RuleError(
                f"{who} returned {what} {described(leaf)} for {spec!r}, though nothing that it was given is complex; "
                "the imaginary part would have been lost: return the real part, if that is the derivative"
            )
        if spec_of(found[k]).kind != "python" and not spec_of(found[k]).inexact:
            raise RuleError(
                f"{who} returned {what} {described(leaf)} for {spec!r}; whole numbers are no derivative, and fractions "
                "would have been lost: return floating-point numbers, or None for zero"
            )
    return found


def spread_none(tree: Any, structure: TreeDef) -> list[Any] | None:
    """The leaves of a tree in which None may stand for any subtree; None where it does not fit the structure."""
    leaves: list[Any] = []
    waiting = [(tree, structure)]
    while waiting:
        part, its = waiting.pop()
        parts = None if part is None else parts_of(part)
        if part is None:
            leaves += [None] * its.count
        elif its.kind is None and parts is None:
            leaves.append(part)
        elif parts is None or (type(part), parts[0], len(parts[1])) != (its.kind, its.extra, len(its.children)):
            return None
        else:
            waiting.extend([*zip(parts[1], its.children, strict=True)][::-1])
    return leaves
