"""Names of leaves, and what is chosen by name."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.trace.trees.tree import IsLeaf, flatten, map_tree, steps_to


def names(tree: Any, is_leaf: IsLeaf = None) -> list[str]:
    """The name of each leaf: keys, attributes and positions from the outermost container on, with slashes between.

    They are the names in files of :func:`autodiff.save`, and of parameters in Chainer's snapshots.

    >>> names({"encoder": {"W": 1.0, "b": 2.0}, "scale": 3.0})
    ['encoder/W', 'encoder/b', 'scale']
    """
    return ["/".join([str(step.key) for step in steps]) for steps in steps_to(tree, is_leaf)]


def mask(tree: Any, *patterns: str) -> Any:
    """A tree of booleans: which leaves have a name that one of the patterns matches.

    Args:
        tree: a tree.
        *patterns: as in a shell: ``*`` stands for any text, slashes included, ``?`` for one character.

    Returns:
        a tree of the same structure, for ``optimize.masked`` or :func:`partition`.

    Raises:
        ValueError: if a pattern matches nothing.

    >>> mask({"l1": {"W": 1.0, "b": 2.0}, "l2": {"W": 3.0, "b": 4.0}}, "*/W")
    {'l1': {'W': True, 'b': False}, 'l2': {'W': True, 'b': False}}
    """
    known = names(tree)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise ValueError(
                f"tree.mask: no leaf has a name like {pattern!r}{at_user_line()}; there are {', '.join(known[:20])}"
            )
    return flatten(tree)[1].unflatten(any(fnmatchcase(name, p) for p in patterns) for name in known)


def map_with_names(function: Callable[..., Any], tree: Any, *others: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree of ``function(name, leaf, *leaves of others)``, with the names that :func:`names` gives.

    Args, returns and errors are those of :func:`map`.

    >>> map_with_names(lambda name, leaf: f"{name}={leaf}", {"a": [1, 2]})
    {'a': ['a/0=1', 'a/1=2']}
    """
    found = iter(names(tree, is_leaf))
    return map_tree(lambda *row: function(next(found), *row), tree, *others, is_leaf=is_leaf)
