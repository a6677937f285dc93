"""Arguments that are trees of operands: a domain stands in each place that takes an array."""

from __future__ import annotations

import dataclasses
from typing import Any

from autodiff.testing.domains import Domain
from autodiff.trace.tree import Structure, flatten, rebuild


class Place:
    """Stands for a domain in a tree. A domain is a dataclass, and so a tree itself."""

    __slots__ = ("domain",)

    def __init__(self, domain: Domain) -> None:
        self.domain = domain


def places(tree: Any) -> tuple[list[Domain], Structure]:
    """The domains of a tree of tuples, lists, dictionaries and dataclasses, and its structure.

    Raises:
        TypeError: something else than a domain is a leaf.

    >>> from autodiff.testing import domains
    >>> found, structure = places(({"w": domains.real, "b": domains.positive}, domains.unit))
    >>> structure
    ({'b': *, 'w': *}, *)
    >>> found == [domains.positive, domains.real, domains.unit]
    True
    """
    leaves, structure = flatten(boxed(tree))
    for leaf in leaves:
        if not isinstance(leaf, Place):
            raise TypeError(
                f"{leaf!r} stands where a domain should; give an autodiff.testing.Domain for each array that the "
                "function takes, and let the function itself say what is fixed"
            )
    return [leaf.domain for leaf in leaves], structure


def boxed(tree: Any) -> Any:
    """The tree with a place for each of its domains."""
    if isinstance(tree, Domain):
        return Place(tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*map(boxed, tree))
    if isinstance(tree, tuple | list):
        return type(tree)(map(boxed, tree))
    if isinstance(tree, dict):
        return {key: boxed(part) for key, part in tree.items()}
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = tuple(field.name for field in dataclasses.fields(tree))
        return rebuild(type(tree), names, tuple(boxed(getattr(tree, name)) for name in names))
    return tree
