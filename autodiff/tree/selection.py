"""Trees taken apart into what is differentiated and what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.containers import parts_of
from autodiff.trace.trees.tree import TreeDef, flatten, map_tree
from autodiff.trace.values.leaves import as_leaf, is_leaf


def is_differentiable(leaf: Any) -> bool:
    """Whether a leaf is an array or number that ``grad`` differentiates: of floating-point or complex numbers.

    >>> [is_differentiable(leaf) for leaf in (1.0, np.ones(3, np.float32), 1, True, "relu")]
    [True, True, False, False, False]
    """
    return is_leaf(leaf) and spec_of(as_leaf(leaf)).inexact


def partition(tree: Any, where: Any = is_differentiable) -> tuple[Any, Any]:
    """A tree taken apart into two of its shape: the leaves that are chosen, and the others.

    Args:
        tree: a tree.
        where: a function that says of a leaf whether it is chosen; or a tree of booleans of the same structure, in
            which one boolean may stand for a whole part.

    Returns:
        two trees, each of which has None where the other has the leaf. :func:`combine` puts them together again.

    Raises:
        ValueError: if the tree of booleans does not fit.

    >>> import autodiff
    >>> model = {"w": 2.0, "steps": 3}
    >>> weights, rest = partition(model)
    >>> weights, rest
    ({'steps': None, 'w': 2.0}, {'steps': 3, 'w': None})
    >>> def power(weights):
    ...     model = combine(weights, rest)
    ...     return model["w"] ** model["steps"]
    >>> autodiff.grad(power)(weights)
    {'steps': None, 'w': 12.0}
    """
    found, its = flatten(tree)
    chosen = [bool(where(leaf)) for leaf in found] if callable(where) else spread(where, its)
    pairs = list(zip(found, chosen, strict=True))
    return its.unflatten(leaf if own else None for leaf, own in pairs), its.unflatten(
        None if own else leaf for leaf, own in pairs
    )


def is_boolean(part: Any) -> bool:
    """Whether a part of a tree is a boolean."""
    return isinstance(part, (bool, np.bool_))


def spread(
    where: Any, structure: TreeDef, is_value: Callable[[Any], bool] = is_boolean, noun: str = "boolean"
) -> list[Any]:
    """The booleans of all leaves, or other values, from a tree in which one may stand for a whole part.

    Raises:
        ValueError: if it does not fit.
    """
    found: list[Any] = []
    waiting = [(where, structure)]
    while waiting:
        part, its = waiting.pop()
        if is_value(part):
            found += [part] * its.count
            continue
        parts = parts_of(part)
        if parts is None or (type(part), parts[0], len(parts[1])) != (its.kind, its.extra, len(its.children)):
            raise ValueError(
                f"a tree of {noun}s does not fit{at_user_line()}: it has {part!r} where the tree has {its}; give a "
                f"{noun} for each leaf, or one for a whole part"
            )
        waiting.extend([*zip(parts[1], its.children, strict=True)][::-1])
    return found


def combine(*trees: Any) -> Any:
    """The tree of which :func:`partition` made parts.

    Args:
        *trees: trees of one shape, of which at most one has something else than None in each place.

    Raises:
        ValueError: if the trees have different shapes, or two have something in one place.

    >>> combine({"a": 1.0, "b": None}, {"a": None, "b": 2.0})
    {'a': 1.0, 'b': 2.0}
    """
    return map_tree(only, *trees, is_leaf=lambda part: part is None)


def only(*parts: Any) -> Any:
    """What is not None among the parts; None where there is nothing else."""
    found = [part for part in parts if part is not None]
    if len(found) > 1:
        raise ValueError(f"tree.combine: {len(found)} trees have something in one place{at_user_line()}")
    return found[0] if found else None
