"""What calls that may share a program have in common, and where the leaves of their arguments stand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from autodiff.backends.gpu import is_gpu_array
from autodiff.trace.spec import Spec
from autodiff.trace.surroundings import State
from autodiff.trace.trees.containers import steps_into
from autodiff.trace.trees.tree import TreeDef

Details = tuple[Any, ...]

P = TypeVar("P", covariant=True)
"""The programs of calls."""


class Programs(Protocol[P]):
    """Where programs are looked up."""

    def get(self, key: Hashable) -> P | None:
        """The program of a key, if it is kept."""


class Key(NamedTuple):
    """What calls of one signature have in common.

    Attributes:
        static: the static arguments: pairs of a position or name and the value, in a form that tells 1 and True apart.
        structure: of the other arguments: the pair of the tuple of positional and the dictionary of named ones.
        kinds: of each leaf :class:`numpy.ndarray` or CuPy's, the class of a Python number, or the dtype of a NumPy
            scalar.
    """

    static: tuple[Any, ...]
    structure: TreeDef
    kinds: tuple[Any, ...]


class Signature(Generic[P]):
    """Calls with the same structure, static arguments and kinds of leaves. Shapes and dtypes of arrays may differ.

    Attributes:
        key: what they have in common.
        static: the static arguments by position or name.
        last: the program that was used last.
        programs: all programs of the function.
        call: the printed call path, made when a call of this signature comes again; None before, and where there is
            none.
        printable: whether there may be one.
        count: how many programs are kept.
        waited: how many calls were recognised while another signature was tried first.
    """

    __slots__ = ("call", "count", "key", "last", "printable", "programs", "static", "waited")

    def __init__(self, key: Key, static: dict[int | str, Any], programs: Programs[P]) -> None:
        self.key = key
        self.static = static
        self.programs = programs
        self.last: P | Never = NEVER
        self.call: Callable[..., Any] | None = None
        self.printable = True
        self.count = self.waited = 0

    def find(self, state: State, details: Details) -> P | None:
        """The program for shapes and dtypes, and for what holds around the call."""
        found = self.programs.get((self, state, details))
        if found is not None:
            self.last = found
        return found


class Never:
    """Stands for the last program where there was none: no call is like it."""

    state = details = None


NEVER = Never()


def kind_of(spec: Spec, leaf: Any = None) -> Any:
    """The kind of a leaf; arrays of a GPU are told from others where the leaf itself is given."""
    if spec.kind == "array":
        return type(leaf) if is_gpu_array(leaf) else np.ndarray
    return spec.dtype if spec.kind == "scalar" else type(spec.dtype.type(0).item())


def is_array_class(kind: Any) -> bool:
    """Whether a kind is that of arrays: a class that is no number's."""
    return kind is np.ndarray or (isinstance(kind, type) and hasattr(kind, "__array_function__"))


def kind_of_value(value: Any) -> Any:
    """The kind that a plain value has by its type alone; None where more must be known."""
    kind = type(value)
    return np.dtype(kind) if issubclass(kind, np.generic) else kind


def details_of(specs: Sequence[Spec], leaves: Sequence[Any]) -> Details:
    """The shapes and dtypes of the arrays among leaves, and of those on GPUs where they are."""
    found: list[Any] = []
    for spec, leaf in zip(specs, leaves, strict=True):
        if spec.kind == "array":
            found += spec.shape, spec.dtype
            if is_gpu_array(leaf):
                found.append(leaf.device.id)
    return tuple(found)


def leaf_paths(key: Key) -> list[str]:
    """How the user reaches each leaf: ``args[0]['w'][1]``, ``kwargs['y']``."""
    return [path for path, part in arguments(key) for path in paths_in(part, path)]


def arguments(key: Key) -> Iterator[tuple[str, TreeDef]]:
    """The arguments that are not static, each with its path."""
    positional, named = key.structure.children
    static = {place for place, _ in key.static}
    places = (n for n in range(len(static) + len(positional.children)) if n not in static)
    for n, part in zip(places, positional.children, strict=False):
        yield f"args[{n}]", part
    for name, part in zip(named.extra, named.children, strict=True):
        yield f"kwargs[{name!r}]", part


def paths_in(structure: TreeDef, path: str) -> list[str]:
    """The paths of the leaves of a tree that has a path itself."""
    found, waiting = [], [(structure, path)]
    while waiting:
        part, place = waiting.pop()
        if part.kind is None:
            found.append(place)
        else:
            children = zip(steps(part), part.children, strict=True)
            waiting.extend([(child, place + step) for step, child in children][::-1])
    return found


def steps(structure: TreeDef) -> list[str]:
    """How each child of a container is reached."""
    assert structure.kind is not None
    return list(map(str, steps_into(structure.kind, structure.extra, len(structure.children))))
