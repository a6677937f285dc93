"""Arguments that are trees of operands: a domain stands in each place that takes an array."""

from __future__ import annotations

from typing import Any

from autodiff.testing.draws.domains import Domain
from autodiff.trace.trees.tree import TreeDef, flatten


def places(tree: Any) -> tuple[list[Domain], TreeDef]:
    """The domains of a tree of containers of any kind, and its structure.

    Raises:
        TypeError: something else than a domain is a leaf.

    >>> from autodiff.testing import domains
    >>> found, structure = places(({"w": domains.real, "b": domains.positive}, domains.unit))
    >>> structure
    ({'b': *, 'w': *}, *)
    >>> found == [domains.positive, domains.real, domains.unit]
    True
    """
    leaves, structure = flatten(tree, is_leaf=is_domain)
    for leaf in leaves:
        if not is_domain(leaf):
            raise TypeError(
                f"{leaf!r} stands where a domain should; give an autodiff.testing.Domain for each array that the "
                "function takes, and let the function itself say what is fixed"
            )
    return leaves, structure


def is_domain(part: Any) -> bool:
    """Whether a part of a tree is a domain, which is a dataclass, and so would be a tree itself."""
    return isinstance(part, Domain)
