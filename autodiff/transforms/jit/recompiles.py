"""``explain_recompiles``: why functions are recorded again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodiff.trace.source import user_line
from autodiff.trace.spec import Spec
from autodiff.trace.surroundings import State, surroundings
from autodiff.trace.trees.tree import TreeDef
from autodiff.transforms.jit.signatures import Key, arguments, leaf_paths, steps

if TYPE_CHECKING:
    from autodiff.transforms.jit.recorded import Recorded

SHOWN = 4
"""So many differences are told; of more than these it is said how many they are."""


@dataclass(frozen=True)
class Recompilation:
    """One recording of a jitted function.

    Attributes:
        function: its name and line.
        line: ``file.py:12``, the line of the call.
        reasons: what differs from the earlier call that was most like it; empty for the first recording.
        programs: how many programs were kept before.
        captured: whether it closed over traced values, so that the program is not kept.
    """

    function: str
    line: str
    reasons: tuple[str, ...]
    programs: int
    captured: bool = False

    def __str__(self) -> str:
        where = f" (called at {self.line})" if self.line else ""
        if self.captured:
            return (
                f"jit records {self.function} in every call{where}: it closes over traced values; pass them as "
                "arguments to have it recorded once"
            )
        if not self.programs:
            return f"jit records {self.function} for the first time{where}"
        reasons = [*self.reasons[:SHOWN]]
        if len(self.reasons) > SHOWN:
            reasons.append(f"and {len(self.reasons) - SHOWN} more")
        why = "; ".join(reasons) or "its program had been dropped"
        return f"jit records {self.function} again{where}, with {self.programs} kept: {why}"


class explain_recompiles:
    """Tell why jitted functions are recorded, for as long as it is entered, in all threads.

    Each recording becomes a line of the logger ``"autodiff"``, of level ``WARNING``, which Python prints unless told
    otherwise, and a record in the list that ``with`` gives. It says what differs from the most similar call before:
    shape, dtype or kind of an array or number, the structure of the arguments, a static argument, or the configuration.
    For a whole program call :meth:`start`, and :meth:`stop` if ever.

    >>> import numpy as np
    >>> from autodiff import jit
    >>> double = jit(lambda x: 2 * x)
    >>> with explain_recompiles() as records:
    ...     for n in (1, 2, 2):
    ...         y = double(np.ones(n))
    >>> records[1].reasons
    ('args[0]: shape (1,) became (2,)',)
    """

    def __init__(self) -> None:
        self.records: list[Recompilation] = []

    def start(self) -> list[Recompilation]:
        """Begin, and return the list of records, which grows."""
        listeners.append(self.records)
        return self.records

    def stop(self) -> None:
        """End it.

        Raises:
            RuntimeError: if it was not started.
        """
        places = [k for k, records in enumerate(listeners) if records is self.records]
        if not places:
            raise RuntimeError("explain_recompiles: stop() was called before start(); start it first")
        del listeners[places[-1]]

    def __enter__(self) -> list[Recompilation]:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


listeners: list[list[Recompilation]] = []


def report(found: Recorded, earlier: Sequence[Recorded]) -> None:
    """Tell everybody who listens of a recording."""
    if not listeners:
        return
    import logging  # noqa: PLC0415 - most programs log nothing, and it takes a millisecond or two

    candidates = [reasons(other, found) for other in reversed(earlier)]
    nearest = min(candidates, key=len, default=())
    record = Recompilation(found.name, user_line(), nearest, len(earlier), bool(found.captures))
    logging.getLogger("autodiff").warning("%s", record)
    for records in tuple(listeners):
        records.append(record)


def reasons(old: Recorded, new: Recorded) -> tuple[str, ...]:
    """What differs between two calls."""
    was, now = old.signature.key, new.signature.key
    return (
        *static_reasons(was, now),
        *argument_reasons(was, now, old.specs, new.specs),
        *place_reasons(old, new),
        *surrounding_reasons(old.state, new.state),
    )


def static_reasons(was: Key, now: Key) -> Iterator[str]:
    """What differs in static arguments."""
    old, new = dict(was.static), dict(now.static)
    for place in dict.fromkeys((*old, *new)):
        before, after = old.get(place), new.get(place)
        if before != after:
            path = f"args[{place}]" if isinstance(place, int) else f"kwargs[{place!r}]"
            yield f"{path}: static {shown(before)} became {shown(after)}"


def argument_reasons(was: Key, now: Key, old_specs: Sequence[Spec], new_specs: Sequence[Spec]) -> Iterator[str]:
    """What differs in the other arguments."""
    old, new = dict(arguments(was)), dict(arguments(now))
    before, after = leaves_of(old, old_specs), leaves_of(new, new_specs)
    for path in dict.fromkeys((*old, *new)):
        if path not in new:
            yield f"{path} was given"
        elif path not in old:
            yield f"{path} was not given"
        else:
            yield from tree_reasons(path, old[path], new[path], iter(before[path]), iter(after[path]))


def leaves_of(trees: dict[str, TreeDef], specs: Sequence[Spec]) -> dict[str, Sequence[Spec]]:
    """The specs of the leaves of each argument."""
    found, start = {}, 0
    for path, tree in trees.items():
        found[path] = specs[start : start + tree.count]
        start += tree.count
    return found


def tree_reasons(
    path: str, old: TreeDef, new: TreeDef, old_specs: Iterator[Spec], new_specs: Iterator[Spec]
) -> Iterator[str]:
    """What differs between two trees."""
    waiting = [(path, old, new)]
    while waiting:
        path, old, new = waiting.pop()
        if (old.kind, old.extra, len(old.children)) != (new.kind, new.extra, len(new.children)):
            before, after = [next(old_specs) for _ in range(old.count)], [next(new_specs) for _ in range(new.count)]
            yield f"{path}: {tree_text(old, before)} became {tree_text(new, after)}"
        elif old.kind is None:
            yield from spec_reasons(path, next(old_specs), next(new_specs))
        else:
            children = zip(steps(old), old.children, new.children, strict=True)
            waiting.extend([(path + step, a, b) for step, a, b in children][::-1])


def spec_reasons(path: str, old: Spec, new: Spec) -> Iterator[str]:
    """What differs between two leaves."""
    if old.kind != new.kind or (old.kind == "python" and old != new):
        yield f"{path}: {kind_text(old)} became {kind_text(new)}"
        return
    if old.shape != new.shape:
        yield f"{path}: shape {old.shape} became {new.shape}"
    if old.dtype != new.dtype:
        yield f"{path}: dtype {old.dtype} became {new.dtype}"


def place_reasons(old: Recorded, new: Recorded) -> Iterator[str]:
    """What differs in where arrays are: on the host, or on which GPU."""
    before = dict(zip(leaf_paths(old.signature.key), old.places, strict=True))
    for path, place in zip(leaf_paths(new.signature.key), new.places, strict=True):
        if path in before and before[path] != place:
            yield f"{path}: {place_text(before[path])} became {place_text(place)}"


def place_text(place: int | None) -> str:
    """Where an array is, in words."""
    return "on the host" if place is None else f"on GPU {place}"


def surrounding_reasons(old: State, new: State) -> Iterator[str]:
    """What differs around the calls."""
    for surrounding, before, after in zip(surroundings, old, new, strict=False):
        for name, a, b in zip(surrounding.names, before, after, strict=True):
            if a != b:
                yield f"{name}: {a!r} became {b!r}"


def kind_text(spec: Spec) -> str:
    """A leaf in words."""
    return {"array": f"array {spec!r}", "scalar": f"NumPy scalar {spec.dtype}", "python": f"Python {spec!r}"}[spec.kind]


def tree_text(structure: TreeDef, specs: Sequence[Spec]) -> str:
    """A tree in words: of a leaf its kind, of a long one only the beginning."""
    if structure.kind is None:
        return kind_text(specs[0])
    text = repr(structure)
    return text if len(text) <= 60 else f"{text[:57]}..."


def shown(static: Any) -> str:
    """A static argument as the user knows it."""
    return "missing" if static is None else repr(static[1])
