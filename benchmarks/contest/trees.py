"""Nested dictionaries, lists and tuples of arrays, the same for every library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def leaves(tree: Any) -> list[Any]:
    """The leaves in order; dictionaries by their sorted keys."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves(part)]
    return [tree]


def mapped(change: Callable[[Any], Any], tree: Any) -> Any:
    """The same tree with every leaf changed."""
    if isinstance(tree, dict):
        return {key: mapped(change, part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)([mapped(change, part) for part in tree])
    return change(tree)


def path_to_leaf(tree: Any) -> list[Any]:
    """The keys that lead to one of the leaves."""
    path = []
    while isinstance(tree, (dict, list, tuple)):
        path.append(next(iter(tree)) if isinstance(tree, dict) else 0)
        tree = tree[path[-1]]
    return path
