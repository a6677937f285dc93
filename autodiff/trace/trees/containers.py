"""The containers of which trees are made: how each kind is taken apart, built again, and how its parts are reached."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.fields import Fields, declared, fields_of

Children = tuple[Any, ...]
Flatten = Callable[[Any], tuple[Iterable[Any], Any]]
Unflatten = Callable[[Any, Children], Any]

PLAIN_LEAVES = frozenset((np.ndarray, np.float64, np.float32, bool, int, float, complex, Tracer))
_FIXED = PLAIN_LEAVES | {tuple, list, dict, str, bytes, type(None)}


class Step(NamedTuple):
    """How a child of a container is reached.

    Attributes:
        key: the key, position or name.
        attribute: whether it is the name of an attribute.
    """

    key: Any
    attribute: bool = False

    def __str__(self) -> str:
        return f".{self.key}" if self.attribute else f"[{self.key!r}]"


class Registration(NamedTuple):
    """What is known of a class whose instances are trees.

    Attributes:
        flatten: gives the children, and whatever else it takes to build an instance again.
        unflatten: builds it.
        steps: how each child is reached, from that; None where they are only counted.
    """

    flatten: Flatten
    unflatten: Unflatten
    steps: Callable[[Any], list[Step]] | None = None


_REGISTERED: dict[type, Registration] = {}


def register_tree(
    kind: type, flatten: Flatten, unflatten: Unflatten, names: Callable[[Any], Iterable[str]] | None = None
) -> None:
    """Make the instances of a class trees.

    Args:
        kind: the class; instances of subclasses stay leaves.
        flatten: ``flatten(x)`` returns the children, and whatever else it takes to build ``x`` again, which must be
            hashable and comparable.
        unflatten: ``unflatten(extra, children)`` builds it.
        names: ``names(extra)`` returns the attributes by which the children are reached, for error texts, saved files
            and masks; otherwise children are counted.

    Raises:
        ValueError: if the class is registered already, or its instances are arrays, numbers or trees anyway.

    >>> from autodiff import grad, register_tree
    >>> class Point:
    ...     def __init__(self, x, y):
    ...         self.x, self.y = x, y
    >>> register_tree(Point, lambda p: ((p.x, p.y), None), lambda _, xy: Point(*xy), lambda _: ("x", "y"))
    >>> slope = grad(lambda p: p.x**2 * p.y)(Point(3.0, 2.0))  # a Point too
    >>> slope.x, slope.y
    (12.0, 9.0)
    """
    steps = None if names is None else lambda extra: [Step(name, True) for name in names(extra)]
    register_container(kind, flatten, unflatten, steps)


def register_container(
    kind: type, flatten: Flatten, unflatten: Unflatten, steps: Callable[[Any], list[Step]] | None = None
) -> None:
    """The same, where children may be reached by keys."""
    if kind in _REGISTERED:
        raise ValueError(f"{kind.__name__} is registered as a tree already")
    if kind in _FIXED or issubclass(kind, (np.ndarray, np.generic)):
        raise ValueError(
            f"{kind.__name__} cannot be registered as a tree{at_user_line()}: arrays, numbers and texts are leaves, "
            "and tuples, lists, dictionaries and None are trees. Register a class of your own"
        )
    _REGISTERED[kind] = Registration(flatten, unflatten, steps)


def parts_of(tree: Any) -> tuple[Any, Sequence[Any]] | None:
    """What is needed to rebuild a container, and its children; None for a leaf."""
    kind = type(tree)
    if kind in PLAIN_LEAVES:
        return None
    if kind is tuple or kind is list:
        return None, tree
    if kind is dict:
        keys = sorted_keys(tree)
        return tuple(keys), [tree[key] for key in keys]
    if tree is None:
        return None, ()
    if kind in _REGISTERED:
        children, extra = _REGISTERED[kind].flatten(tree)
        return extra, tuple(children)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return None, tree
    own = declared(kind)
    if own is not None:
        fields = fields_of(tree, own)
        return fields, [getattr(tree, name) for name in fields.names]
    return None


def sorted_keys(tree: dict[Any, Any]) -> list[Any]:
    """The keys of a dictionary; where they are of several types, in the order in which they were inserted."""
    try:
        return sorted(tree)
    except TypeError:
        return list(tree)


def is_registered(kind: type) -> bool:
    """Whether a class was registered, and only its own functions take its instances apart."""
    return kind in _REGISTERED


def rebuild(kind: type, extra: Any, children: Children) -> Any:
    """The container that :class:`TreeDef` describes."""
    if kind is tuple:
        return children
    if kind is list:
        return list(children)
    if kind is dict:
        return dict(zip(extra, children, strict=True))
    if kind is type(None):
        return None
    if kind in _REGISTERED:
        return _REGISTERED[kind].unflatten(extra, children)
    if issubclass(kind, tuple):
        return kind(*children)
    tree = object.__new__(kind)  # a dataclass: its own __init__ may check or convert, a leaf may be anything here
    for name, child in zip(extra.names, children, strict=True):
        object.__setattr__(tree, name, child)
    for name, value in extra.static:
        object.__setattr__(tree, name, value)
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
    elif (own := declared(kind)) is not None:
        static = tuple(name for name, _ in extra.static) if isinstance(extra, Fields) else ()
        if not isinstance(extra, Fields) or (extra.names, static) != (own.plain.names, own.static):
            raise ValueError(f"{kind.__name__} has the fields {', '.join((*own.plain.names, *own.static))}")
        if len(extra.names) != count:
            raise ValueError(f"{kind.__name__} has the fields {', '.join(extra.names)}")
    else:
        raise ValueError(f"the instances of {kind.__name__} are no trees; register_tree makes them some")


def steps_into(kind: type, extra: Any, count: int) -> list[Step]:
    """How each child of a container is reached."""
    if kind in _REGISTERED:
        steps = _REGISTERED[kind].steps
        return [Step(k) for k in range(count)] if steps is None else steps(extra)
    if kind is dict:
        return [Step(key) for key in extra]
    if isinstance(extra, Fields):
        return [Step(name, True) for name in extra.names]
    return [Step(name, True) for name in getattr(kind, "_fields", ())] or [Step(k) for k in range(count)]


# The containers of Python's own library.

register_container(
    OrderedDict,
    lambda tree: (tree.values(), tuple(tree)),
    lambda keys, children: OrderedDict(zip(keys, children, strict=True)),
    lambda keys: [Step(key) for key in keys],
)
register_container(
    defaultdict,
    lambda tree: ([tree[key] for key in sorted_keys(tree)], (tree.default_factory, tuple(sorted_keys(tree)))),
    lambda extra, children: defaultdict(extra[0], zip(extra[1], children, strict=True)),
    lambda extra: [Step(key) for key in extra[1]],
)
register_container(
    SimpleNamespace,
    lambda tree: ([vars(tree)[name] for name in sorted(vars(tree))], tuple(sorted(vars(tree)))),
    lambda names, children: SimpleNamespace(**dict(zip(names, children, strict=True))),
    lambda names: [Step(name, True) for name in names],
)
