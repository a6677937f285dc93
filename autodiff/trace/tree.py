"""Trees: arrays inside tuples, lists, dictionaries, named tuples, dataclasses and registered classes.

A tree is flattened to its leaves and a :class:`Structure`, from which it can be built again. ``None`` is a tree
without leaves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff.trace.tracer import Tracer

Children = tuple[Any, ...]
Flatten = Callable[[Any], tuple[Iterable[Any], Any]]
Unflatten = Callable[[Any, Children], Any]

READABLE = 50
"""Trees of so many containers in each other are shown, and their functions are printed."""

_PLAIN_LEAVES = frozenset((np.ndarray, np.float64, np.float32, bool, int, float, complex, Tracer))
_REGISTERED: dict[type, tuple[Flatten, Unflatten]] = {}


class Structure:
    """What is left of a tree when its leaves are taken out. Hashable and comparable.

    Attributes:
        kind: the container's type; None for a leaf.
        extra: keys, field names, or what the registered class gave.
        children: the structures of the children.
        count: how many leaves it has.
        depth: how many containers stand in each other. Nothing here recurses: a tree may be as deep as memory lets it.
    """

    __slots__ = ("children", "count", "depth", "extra", "kind")

    def __init__(self, kind: type | None, extra: Any, children: tuple[Structure, ...]) -> None:
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
        if not isinstance(other, Structure):
            return NotImplemented
        pairs = [(self, other)]
        while pairs:
            a, b = pairs.pop()
            if a is b:
                continue
            if (a.kind, a.extra, len(a.children)) != (b.kind, b.extra, len(b.children)):
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
        return built(self, iter(leaves))


def built(structure: Structure, leaves: Iterator[Any]) -> Any:
    """A container with its leaves."""
    waiting: list[tuple[Structure, Iterator[Structure], list[Any]]] = []
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


class _Star:
    def __repr__(self) -> str:
        return "*"


LEAF = Structure(None, None, ())
NOTHING = Structure(type(None), None, ())


def register_tree(kind: type, flatten: Flatten, unflatten: Unflatten) -> None:
    """Make the instances of a class trees.

    Args:
        kind: the class; instances of subclasses stay leaves.
        flatten: ``flatten(x)`` returns the children, and whatever else it takes to build ``x`` again.
        unflatten: ``unflatten(extra, children)`` builds it.

    Raises:
        ValueError: if the class is registered already.
    """
    if kind in _REGISTERED:
        raise ValueError(f"{kind.__name__} is registered as a tree already")
    _REGISTERED[kind] = (flatten, unflatten)


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of a tree, from left to right, and its structure; dictionaries by sorted keys.

    >>> leaves, structure = flatten({"b": 1.0, "a": (2.0, None)})
    >>> leaves
    [2.0, 1.0]
    >>> structure
    {'a': (*, None), 'b': *}
    """
    parts = _parts(tree)
    if parts is None:
        return [tree], LEAF
    leaves: list[Any] = []
    waiting: list[tuple[type, Any, Iterator[Any], list[Structure]]] = []
    kind, extra, rest, found = type(tree), parts[0], iter(parts[1]), list[Structure]()
    while True:
        for child in rest:
            parts = _parts(child)
            if parts is None:
                leaves.append(child)
                found.append(LEAF)
            else:
                waiting.append((kind, extra, rest, found))
                kind, extra, rest, found = type(child), parts[0], iter(parts[1]), []
                break
        else:
            structure = Structure(kind, extra, tuple(found))
            if not waiting:
                return leaves, structure
            kind, extra, rest, found = waiting.pop()
            found.append(structure)


def _parts(tree: Any) -> tuple[Any, Sequence[Any]] | None:
    """What is needed to rebuild a container, and its children; None for a leaf."""
    kind = type(tree)
    if kind in _PLAIN_LEAVES:
        return None
    if kind is tuple or kind is list:
        return None, tree
    if kind is dict:
        keys = _sorted_keys(tree)
        return tuple(keys), [tree[key] for key in keys]
    if tree is None:
        return None, ()
    if kind in _REGISTERED:
        children, extra = _REGISTERED[kind][0](tree)
        return extra, tuple(children)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return None, tree
    if dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
        return names, [getattr(tree, name) for name in names]
    return None


def _sorted_keys(tree: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(tree)
    except TypeError:  # keys of several types: in the order in which they were inserted
        return list(tree)


def is_registered(kind: type) -> bool:
    """Whether :func:`register_tree` was called for a class."""
    return kind in _REGISTERED


def rebuild(kind: type, extra: Any, children: Children) -> Any:
    """The container that :class:`Structure` describes."""
    if kind is tuple:
        return children
    if kind is list:
        return list(children)
    if kind is dict:
        return dict(zip(extra, children, strict=True))
    if kind is type(None):
        return None
    if kind in _REGISTERED:
        return _REGISTERED[kind][1](extra, children)
    if issubclass(kind, tuple):
        return kind(*children)
    tree = object.__new__(kind)  # a dataclass: its own __init__ may check or convert, a leaf may be anything here
    for name, child in zip(extra, children, strict=True):
        object.__setattr__(tree, name, child)
    return tree


def check_container(kind: type, extra: Any, count: int) -> None:
    """Refuse what :func:`rebuild` could not have been given by :func:`flatten`.

    Args:
        kind: the container's type.
        extra: what is needed to rebuild it.
        count: how many children it has.

    Raises:
        ValueError: saying why there is no such container.
        TypeError: if a key of a dictionary cannot be one.
    """
    if kind in _REGISTERED:
        return
    if kind is dict:
        if type(extra) is not tuple or len(extra) != count or len(set(extra)) != count:
            raise ValueError(f"a dictionary of {count} values needs as many different keys")
    elif kind is tuple or kind is list or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        fields = getattr(kind, "_fields", (None,) * count)
        if extra is not None or len(fields) != count:
            raise ValueError(f"{kind.__name__} has {len(fields)} parts, and not {count}")
    elif dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
        if extra != names or len(names) != count:
            raise ValueError(f"{kind.__name__} has the fields {', '.join(names)}")
    else:
        raise ValueError(f"the instances of {kind.__name__} are no trees; register_tree makes them some")


def map_tree(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Apply a function to the leaves of one tree, or to corresponding leaves of several.

    Raises:
        ValueError: if the trees have different structures.
    """
    leaves, structure = flatten(tree)
    columns = [leaves]
    for other in others:
        more, its = flatten(other)
        if its != structure:
            raise ValueError(f"trees of different structure: {structure} and {its}")
        columns.append(more)
    return structure.unflatten(function(*row) for row in zip(*columns, strict=True))


def paths(tree: Any) -> list[str]:
    """How each leaf is reached: ``["['W'][0]", ".bias"]``."""
    found, waiting = [], [(tree, "")]
    while waiting:
        part, path = waiting.pop()
        parts = _parts(part)
        if parts is None:
            found.append(path)
            continue
        steps = zip(steps_into(type(part), parts[0], len(parts[1])), parts[1], strict=True)
        waiting.extend([(child, path + step) for step, child in steps][::-1])
    return found


def steps_into(kind: type, extra: Any, count: int) -> list[str]:
    """How each child of a container is reached."""
    if issubclass(kind, dict):
        return [f"[{key!r}]" for key in extra]
    if dataclasses.is_dataclass(kind) and kind not in _REGISTERED:
        return [f".{name}" for name in extra]
    return [f".{name}" for name in getattr(kind, "_fields", ())] or [f"[{k}]" for k in range(count)]
