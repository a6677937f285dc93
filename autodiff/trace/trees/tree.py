"""Trees: arrays inside tuples, lists, dictionaries, named tuples, dataclasses and registered classes.

A tree is flattened to its leaves and a :class:`TreeDef`, from which it can be built again. ``None`` is a tree
without leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import copysign
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.trace.trees.containers import PLAIN_LEAVES, Step, parts_of, rebuild, steps_into

IsLeaf = Callable[[Any], bool] | None

READABLE = 50
"""Trees of so many containers in each other are shown, and their functions are printed."""


class TreeDef:
    """What is left of a tree when its leaves are taken out. Hashable and comparable.

    Attributes:
        kind: the container's type; None for a leaf.
        extra: keys, fields, or what the registered class gave.
        children: the structures of the children.
        count: how many leaves it has.
        depth: how many containers stand in each other. Nothing here recurses: a tree may be as deep as memory lets it.

    >>> structure = flatten({"w": 1.0, "b": (2.0, None)})[1]
    >>> structure, structure.count
    ({'b': (*, None), 'w': *}, 2)
    """

    __slots__ = ("children", "count", "depth", "extra", "kind")

    def __init__(self, kind: type | None, extra: Any, children: tuple[TreeDef, ...]) -> None:
        self.kind = kind
        self.extra = extra
        self.children = children
        count, depth = (1, 0) if kind is None else (0, 1)
        for child in children:
            count += child.count
            if child.depth >= depth:
                depth = child.depth + 1
        self.count: int = count
        self.depth: int = depth

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeDef):
            return NotImplemented
        pairs = [(self, other)]
        while pairs:
            a, b = pairs.pop()
            if a is b:
                continue
            if (a.kind, a.extra, len(a.children)) != (b.kind, b.extra, len(b.children)):
                return False
            if type(a.extra) is tuple and not alike(a.extra, b.extra):
                return False
            pairs.extend(zip(a.children, b.children, strict=True))
        return True

    def __hash__(self) -> int:
        return hash((self.kind, self.count, self.depth, tuple([child.kind for child in self.children])))

    def __repr__(self) -> str:
        if self.depth > READABLE:
            return f"<a tree of {self.count} leaves, {self.depth} deep>"
        return repr(self.unflatten([_Star()] * self.count))

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree of this structure with the given leaves.

        Raises:
            ValueError: if there are more or fewer leaves than the structure has places.
        """
        leaves = list(leaves)
        if len(leaves) != self.count:
            raise ValueError(f"{len(leaves)} leaves given to a tree with {self.count}; give as many as it has")
        if self.kind is None:
            return leaves[0]
        if self.kind is tuple and self.depth == 1:
            return tuple(leaves)
        return built(self, iter(leaves))


def alike(keys: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether equal keys are of equal types, too: functions may compute with them, and 1, 1.0 and True differ then."""
    return all(
        type(a) is type(b) and (type(a) is not float or copysign(1.0, a) == copysign(1.0, b))
        for a, b in zip(keys, others, strict=True)
        if a is not b
    )


def built(structure: TreeDef, leaves: Iterator[Any]) -> Any:
    """A container with its leaves."""
    waiting: list[tuple[TreeDef, Iterator[TreeDef], list[Any]]] = []
    rest, children = iter(structure.children), []
    while True:
        for child in rest:
            if child.kind is None:
                children.append(next(leaves))
            elif not child.children:
                children.append(rebuild(child.kind, child.extra, ()))
            else:
                waiting.append((structure, rest, children))
                structure, rest, children = child, iter(child.children), []
                break
        else:
            assert structure.kind is not None
            whole = rebuild(structure.kind, structure.extra, tuple(children))
            if not waiting:
                return whole
            structure, rest, children = waiting.pop()
            children.append(whole)


def difference(one: TreeDef, other: TreeDef) -> str:
    """The first place where two structures differ, and what each has there.

    >>> difference(flatten({"a": [1.0, 2.0], "b": 3.0})[1], flatten({"a": [1.0, (2.0, 3.0)], "b": 4.0})[1])
    "at ['a'][1], * and (*, *)"
    """
    where: list[str] = []
    while one.depth <= READABLE and (one.kind, one.extra, len(one.children)) == (
        other.kind,
        other.extra,
        len(other.children),
    ):
        assert one.kind is not None
        steps = steps_into(one.kind, one.extra, len(one.children))
        place = next(k for k, pair in enumerate(zip(one.children, other.children, strict=True)) if pair[0] != pair[1])
        where.append(str(steps[place]))
        one, other = one.children[place], other.children[place]
    return f"{'at ' + ''.join(where) + ', ' if where else ''}{one} and {other}"


class _Star:
    def __repr__(self) -> str:
        return "*"


LEAF = TreeDef(None, None, ())
NOTHING = TreeDef(type(None), None, ())


@lru_cache(maxsize=64)
def row_of_leaves(count: int) -> TreeDef:
    """The structure of a tuple of so many leaves, as most functions have it of their arguments."""
    return TreeDef(tuple, None, (LEAF,) * count)


def flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeDef]:
    """The leaves of a tree, from left to right, and its structure; dictionaries by sorted keys.

    Args:
        tree: the tree.
        is_leaf: what it says True of is not taken apart.

    >>> leaves, structure = flatten({"b": 1.0, "a": (2.0, None)})
    >>> leaves
    [2.0, 1.0]
    >>> structure
    {'a': (*, None), 'b': *}
    """
    if is_leaf is None and type(tree) is tuple and PLAIN_LEAVES.issuperset(map(type, tree)):
        return list(tree), row_of_leaves(len(tree))
    take = parts_of if is_leaf is None else _parts_unless(is_leaf)
    parts = take(tree)
    if parts is None:
        return [tree], LEAF
    leaves: list[Any] = []
    waiting: list[tuple[type, Any, Iterator[Any], list[TreeDef]]] = []
    kind, extra, rest, found = type(tree), parts[0], iter(parts[1]), list[TreeDef]()
    while True:
        for child in rest:
            parts = take(child)
            if parts is None:
                leaves.append(child)
                found.append(LEAF)
            else:
                waiting.append((kind, extra, rest, found))
                kind, extra, rest, found = type(child), parts[0], iter(parts[1]), []
                break
        else:
            structure = TreeDef(kind, extra, tuple(found))
            if not waiting:
                return leaves, structure
            kind, extra, rest, found = waiting.pop()
            found.append(structure)


def _parts_unless(is_leaf: Callable[[Any], bool]) -> Callable[[Any], tuple[Any, Sequence[Any]] | None]:
    """A function that takes containers apart, but for those that count as leaves."""
    return lambda tree: None if is_leaf(tree) else parts_of(tree)


def map_tree(function: Callable[..., Any], tree: Any, *others: Any, is_leaf: IsLeaf = None) -> Any:
    """Apply a function to the leaves of one tree, or to corresponding leaves of several.

    Raises:
        ValueError: if the trees have different structures.
    """
    leaves, structure = flatten(tree, is_leaf)
    columns = [leaves]
    for other in others:
        more, its = flatten(other, is_leaf)
        if its != structure:
            raise ValueError(f"trees of different structure{at_user_line()}: {difference(structure, its)}")
        columns.append(more)
    return structure.unflatten(function(*row) for row in zip(*columns, strict=True))


def paths(tree: Any, is_leaf: IsLeaf = None) -> list[str]:
    """How each leaf is reached: ``["['W'][0]", ".bias"]``."""
    return ["".join(map(str, steps)) for steps in steps_to(tree, is_leaf)]


def steps_to(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[Step, ...]]:
    """The steps by which each leaf is reached, from the outermost container on."""
    take = parts_of if is_leaf is None else _parts_unless(is_leaf)
    found: list[tuple[Step, ...]] = []
    waiting: list[tuple[Any, tuple[Step, ...]]] = [(tree, ())]
    while waiting:
        part, above = waiting.pop()
        parts = take(part)
        if parts is None:
            found.append(above)
            continue
        steps = zip(steps_into(type(part), parts[0], len(parts[1])), parts[1], strict=True)
        waiting.extend([(child, (*above, step)) for step, child in steps][::-1])
    return found
