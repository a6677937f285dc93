"""Arguments that are trees of operands: a domain stands in each place that takes an array."""

from __future__ import annotations

from typing import Any

from autodiff.testing.domains import Domain
from autodiff.trace.containers import parts_of, rebuild
from autodiff.trace.tree import Structure, flatten


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
    found = parts_of(tree)
    if found is None:
        return tree
    extra, children = found
    return rebuild(type(tree), extra, tuple(map(boxed, children)))
