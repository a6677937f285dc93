"""Elements that are read where they were written just before, and rows that are written for one of their elements.

Programs that fill an array, ``S[t + 1] = S[t] - new``, read what they have written. What is read is then the value
itself, so that nothing waits for the array. Arrays before a write are never read instead: they would have to be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.index import slice_of, slice_set
from autodiff.trace.tape import Equation, Operand

FAR = 256
"""So many writes are looked through for what is read."""

Place = tuple[int | range, ...]
"""For each axis an index, or those of a slice."""


def place_of(key: Sequence[Any], shape: tuple[int, ...]) -> Place | None:
    """What a basic key takes; None for keys with new axes or an ellipsis, and where it takes nothing.

    A key is about the last axes: those before it are of batches.
    """
    if len(key) > len(shape) or 0 in shape or not all(type(part) in (int, tuple) for part in key):
        return None
    full = (*((None, None, None) for _ in shape[len(key) :]), *key)
    place = tuple(
        part % length if type(part) is int else range(length)[slice(*part)] for part, length in zip(full, shape)
    )
    return place if all(isinstance(part, int) or part for part in place) else None


def shape_of(place: Place) -> tuple[int, ...]:
    """The shape of what a place takes."""
    return tuple(len(part) for part in place if isinstance(part, range))


def within(outer: Place, inner: Place) -> Place:
    """A place of what an outer place takes, as a place of the whole."""
    rest = iter(inner)
    return tuple(part if isinstance(part, int) else part[taken(next(rest))] for part in outer)


def taken(part: int | range) -> Any:
    """An index or a slice, to pick from a range."""
    return part if isinstance(part, int) else as_slice(part)


def as_slice(part: range) -> slice:
    """The slice of a range."""
    return slice(part.start, part.stop if part.stop >= 0 else None, part.step)


def key_of(place: Place) -> tuple[Any, ...]:
    """The key of a place."""
    return tuple(
        part if isinstance(part, int) else (part.start, part.stop if part.stop >= 0 else None, part.step)
        for part in place
    )


def apart(one: Place, other: Place) -> bool:
    """Whether two places certainly share nothing."""
    return any(bounds(x)[1] < bounds(y)[0] or bounds(y)[1] < bounds(x)[0] for x, y in zip(one, other, strict=True))


def bounds(part: int | range) -> tuple[int, int]:
    """The smallest and the largest index."""
    return (part, part) if isinstance(part, int) else (min(part[0], part[-1]), max(part[0], part[-1]))


def inside(read: Place, written: Place) -> Place | None:
    """Where in what was written the place is that is read, if all of it is there."""
    found: list[int | range] = []
    for part, own in zip(read, written, strict=True):
        if isinstance(own, int):
            if part != own:
                return None
        elif isinstance(part, int):
            if part not in own:
                return None
            found.append(own.index(part))
        elif part == own:
            found.append(range(len(own)))
        else:
            return None
    return tuple(found)


def read_written(builder: Builder, equation: Equation) -> Operand | None:
    """slice_of(slice_set(x, v)) of what v was written to is v, or a part of it; other writes between do not matter."""
    (x,) = equation.operands
    read = place_of(dict(equation.params)["key"], builder.spec(x).shape)
    while read is not None and (inner := builder.made(x, "slice_of")):
        (x,) = inner.operands
        outer = place_of(dict(inner.params)["key"], builder.spec(x).shape)
        read = None if outer is None else within(outer, read)
    for _ in range(FAR):
        write = builder.made(x, "slice_set")
        if read is None or write is None:
            return None
        x, value = write.operands
        written = place_of(dict(write.params)["key"], builder.spec(x).shape)
        if written is None or shape_of(written) != builder.spec(value).shape:
            return None
        found = inside(read, written)
        if found is not None:
            return value if shape_of(found) == shape_of(written) else builder.emit(slice_of, value, key=key_of(found))
        if not apart(read, written):
            return None
    return None


def write_element(builder: Builder, equation: Equation) -> Operand | None:
    """slice_set(x, slice_set(slice_of(x), v)): v is written into x itself."""
    x, part = equation.operands
    inner = builder.made(part, "slice_set")
    if inner is None:
        return None
    source, value = inner.operands
    shown = builder.made(source, "slice_of")
    params = dict(equation.params)
    if shown is None or shown.operands != (x,) or dict(shown.params) != params:
        return None
    outer = place_of(params["key"], builder.spec(x).shape)
    place = place_of(dict(inner.params)["key"], builder.spec(source).shape)
    if outer is None or place is None:
        return None
    return builder.emit(slice_set, x, value, key=key_of(within(outer, place)))


UPDATES: Rules = {"slice_of": (read_written,), "slice_set": (write_element,)}
