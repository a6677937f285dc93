"""The fields of dataclasses and attrs classes: which of them hold parts of a tree, and which are static.

A static field is part of a tree's structure, as the keys of a dictionary are: transformations hand it on as it is, and
``jit`` records a function for each of its values.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable
from enum import Enum
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced

T = TypeVar("T")


class StaticMark:
    """What marks the annotation of a static field."""

    def __repr__(self) -> str:
        return "static"


STATIC = StaticMark()
Static = Annotated[T, STATIC]
"""``n: Static[int]`` is a field of a dataclass or attrs class that is part of the structure and no leaf."""

TEXTS = re.compile(r"(\w+\.)*(Static\[|(str|bytes|Callable|type)\b)")
"""How annotations of static fields begin, where they are texts that cannot be evaluated."""


class Fields:
    """What is left of a dataclass or attrs class when the parts of the tree are taken out.

    Comparisons tell 1, 1.0 and True apart, as programs do.

    Attributes:
        names: the fields that hold parts of the tree.
        static: the names and values of the static fields.
    """

    __slots__ = ("names", "static")

    def __init__(self, names: tuple[str, ...], static: tuple[tuple[str, Any], ...] = ()) -> None:
        self.names = names
        self.static = static

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fields):
            return NotImplemented
        return self is other or (self.names == other.names and typed(self.static) == typed(other.static))

    def __hash__(self) -> int:
        return hash((self.names, typed(self.static)))

    def __repr__(self) -> str:
        return f"Fields({self.names!r}, {self.static!r})"


class Declared(NamedTuple):
    """The fields of a class.

    Attributes:
        plain: what is left of an instance where nothing is static.
        static: the names of the static fields.
    """

    plain: Fields
    static: tuple[str, ...]


_declared: WeakKeyDictionary[type, Declared | None] = WeakKeyDictionary()


def declared(kind: type) -> Declared | None:
    """The fields of a dataclass or attrs class; None of any other class."""
    try:
        return _declared[kind]
    except KeyError:
        found = _declared[kind] = look(kind)
        return found


def look(kind: type) -> Declared | None:
    """The same, looked up."""
    if dataclasses.is_dataclass(kind):
        fields: Any = dataclasses.fields(kind)
    elif "__attrs_attrs__" in vars(kind):
        fields = kind.__attrs_attrs__  # type: ignore[attr-defined] # without an import of attrs
    else:
        return None
    hints = annotations_of(kind)
    static = tuple(f.name for f in fields if f.metadata.get("static", is_static(hints.get(f.name, f.type))))
    return Declared(Fields(tuple(f.name for f in fields if f.name not in static)), static)


def annotations_of(kind: type) -> dict[str, Any]:
    """The annotations of a class; none where one of them names what is not there, or only for type checkers."""
    try:
        return typing.get_type_hints(kind, include_extras=True)
    except (NameError, TypeError, AttributeError, SyntaxError):
        return {}


def is_static(annotation: Any) -> bool:
    """Whether an annotation says that a field holds no arrays: it is marked, or a text, function, class or enum.

    >>> is_static(Static[int]), is_static(str | None), is_static(int), is_static(Callable[[int], int])
    (True, True, False, True)
    """
    if isinstance(annotation, str):
        return TEXTS.match(annotation) is not None
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        return STATIC in annotation.__metadata__ or is_static(annotation.__origin__)
    if origin is typing.Union or origin is UnionType:
        parts = [part for part in typing.get_args(annotation) if part is not type(None)]
        return bool(parts) and all(map(is_static, parts))
    if origin is typing.Literal or Callable in (origin, annotation):
        return True
    kind = origin or annotation
    return isinstance(kind, type) and issubclass(kind, (str, bytes, type, Enum, np.dtype))


def fields_of(tree: Any, own: Declared) -> Fields:
    """What is left of an instance when the parts of the tree are taken out.

    Raises:
        TypeError: if a static field holds what cannot be part of a structure.
    """
    if not own.static:
        return own.plain
    values = [(name, getattr(tree, name)) for name in own.static]
    for name, value in values:
        check_static(type(tree).__name__, name, value)
    return Fields(own.plain.names, tuple(values))


def check_static(kind: str, name: str, value: Any) -> None:
    """Refuse what cannot be hashed and compared, and traced values, which are no constants."""
    why = "a traced value, which is no constant" if isinstance(value, Traced) else ""
    try:
        hash(value)
    except TypeError:
        why = why or f"{type(value).__name__}, which cannot be hashed"
    if why:
        raise TypeError(
            f"the field {name} of {kind} is static by its annotation, but holds {why}{at_user_line()}; annotate it as "
            "an array, or keep numbers, texts, functions and tuples of them there"
        )


def typed(value: Any) -> Any:
    """A static value as comparisons see it, with its type: 1, 1.0 and True differ, and so do 0.0 and -0.0."""
    kind = type(value)
    if kind is tuple:
        return (kind, *map(typed, value))
    if kind is float or kind is complex or isinstance(value, np.generic):
        return kind, repr(value)
    return kind, value
