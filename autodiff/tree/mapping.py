"""Trees taken apart, built again, mapped and reduced."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.trace.trees.tree import IsLeaf, TreeDef, map_tree
from autodiff.trace.trees.tree import flatten as flatten_tree


def map(function: Callable[..., Any], tree: Any, *others: Any, is_leaf: IsLeaf = None) -> Any:
    """Apply a function to each leaf of a tree, together with the same leaf of other trees.

    Args:
        function: a function of one leaf of each tree.
        tree: a tree.
        *others: trees of the same structure.
        is_leaf: a function of a subtree; where it returns True, the subtree is treated as a leaf.

    Returns:
        a tree of the structure of the first.

    Raises:
        ValueError: if the trees have different structures.

    >>> map(lambda p, g: p - 0.5 * g, {"w": 1.0, "b": 2.0}, {"w": 4.0, "b": 0.0})
    {'b': 2.0, 'w': -1.0}
    """
    return map_tree(function, tree, *others, is_leaf=is_leaf)


def leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of a tree, from left to right; dictionaries in the order of their keys.

    >>> leaves({"b": 1.0, "a": (2.0, None)})
    [2.0, 1.0]
    """
    return flatten_tree(tree, is_leaf)[0]


def structure(tree: Any, is_leaf: IsLeaf = None) -> TreeDef:
    """What is left of a tree when its leaves are taken out; it can be compared, hashed and printed.

    >>> structure({"b": 1.0, "a": (2.0, None)})
    {'a': (*, None), 'b': *}
    """
    return flatten_tree(tree, is_leaf)[1]


def flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeDef]:
    """The leaves of a tree and its structure, from which :func:`unflatten` builds it again.

    Args:
        tree: the tree: containers inside of containers. None is an empty one.
        is_leaf: as for :func:`map`.

    >>> flatten({"b": 1.0, "a": (2.0, None)})
    ([2.0, 1.0], {'a': (*, None), 'b': *})
    >>> flatten({"b": 1.0, "a": (2.0, None)}, is_leaf=lambda part: isinstance(part, tuple))
    ([(2.0, None), 1.0], {'a': *, 'b': *})
    """
    return flatten_tree(tree, is_leaf)


def unflatten(structure: TreeDef, leaves: Iterable[Any]) -> Any:
    """The tree of a structure with other leaves.

    Raises:
        ValueError: if there are more or fewer leaves than the structure has places.

    >>> found, its = flatten({"a": 1, "b": [2, 3]})
    >>> unflatten(its, [10 * leaf for leaf in found])
    {'a': 10, 'b': [20, 30]}
    """
    return structure.unflatten(leaves)


NOT_GIVEN: Any = object()


def reduce(function: Callable[[Any, Any], Any], tree: Any, initial: Any = NOT_GIVEN, is_leaf: IsLeaf = None) -> Any:
    """The leaves put together from left to right: ``function(function(initial, first), second)``, ...

    Args:
        function: a function of what was put together so far, and a leaf.
        tree: a tree.
        initial: what to begin with; the first leaf unless it is given.
        is_leaf: as for :func:`map`.

    Raises:
        TypeError: if there is neither a leaf nor an initial value.

    >>> reduce(lambda total, x: total + x**2, {"w": 3.0, "b": 4.0}, 0.0)
    25.0
    """
    found = leaves(tree, is_leaf)
    if initial is not NOT_GIVEN:
        return functools.reduce(function, found, initial)
    if not found:
        raise TypeError(f"tree.reduce: the tree has no leaves{at_user_line()}; give an initial value")
    return functools.reduce(function, found)
