"""Loops that are still being filled: what several operations do to the elements of one shape, in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autodiff.backends.kernels.programs.storage import Buffer, Shape

PLACE = re.compile(r"<(\d+)>")


@dataclass
class Access:
    """A place in memory inside the loops: a constant part, and a stride for each loop."""

    offset: int
    strides: tuple[int, ...]


@dataclass(eq=False)
class Nest:
    """Loops over the leading axes of values.

    Attributes:
        dims: how far the loops run.
        rows: the length of an axis of which the kernel is handed a part at a time.
        body: the lines of the innermost loop. Places in memory stand as ``<number>``, the number of an access.
        accesses: those places.
        starts: lines before the loop of a depth, such as the beginnings of sums.
        ends: lines after it.
        loaded: the names of elements that were loaded.
        pending: the values of slots.
        targets: the strides, for each loop, with which they write to memory that outlasts them, by its name.
        written: whether the loops are in the kernel.
    """

    dims: Shape
    rows: int | None = None
    body: list[str] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    starts: dict[int, list[str]] = field(default_factory=dict)
    ends: dict[int, list[str]] = field(default_factory=dict)
    loaded: dict[Any, str] = field(default_factory=dict)
    pending: dict[Any, Any] = field(default_factory=dict)
    targets: dict[str, tuple[int, ...]] = field(default_factory=dict)
    written: bool = False

    def place(self, offset: int, strides: tuple[int, ...]) -> str:
        """The text of a place, to be filled in when the loops are written."""
        self.accesses.append(Access(offset, strides))
        return f"<{len(self.accesses) - 1}>"

    def load(self, buffer: Buffer, offset: int, strides: tuple[int, ...], name: str) -> str:
        """The name of an element of a buffer; ``name`` if it is loaded now."""
        key = buffer.base, offset, strides, buffer.dtype
        found = self.loaded.get(key)
        if found is None:
            found = self.loaded[key] = name
            self.body.append(f"{name} = load_{buffer.dtype}({buffer.base}, {self.place(offset, strides)})")
        return found

    def collapsed(self) -> tuple[list[str], list[Access], dict[int, int]]:
        """How far the loops run, with those made one that run through memory as one; also where each depth has gone."""
        marked = {*self.starts, *self.ends}
        dims: list[int] = []
        kept: list[int] = []
        for axis, length in enumerate(self.dims):
            joined = bool(dims) and axis not in marked and self.rows not in (length, self.dims[kept[-1]])
            joined = joined and all(a.strides[kept[-1]] == a.strides[axis] * length for a in self.accesses)
            if joined:
                dims[-1] *= length
                kept[-1] = axis
            else:
                dims.append(length)
                kept.append(axis)
        accesses = [Access(a.offset, tuple(a.strides[k] for k in kept)) for a in self.accesses]
        depths = {depth: sum(k < depth for k in kept) for depth in marked}
        rows = [self.dims[k] == self.rows for k in kept]  # several loops made one may be as long as the rows are
        return ["first, last" if own else str(n) for own, n in zip(rows, dims, strict=True)], accesses, depths

    def lines(self) -> Iterator[str]:
        """The loops as text."""
        bounds, accesses, depths = self.collapsed()
        starts = {depths[depth]: lines for depth, lines in self.starts.items()}
        ends = {depths[depth]: lines for depth, lines in self.ends.items()}

        def filled(line: str, depth: int) -> str:
            return PLACE.sub(lambda found: written(accesses[int(found[1])], depth), line)

        for depth, limits in enumerate(bounds):
            yield from ("    " * depth + filled(line, depth) for line in starts.get(depth, ()))
            yield "    " * depth + f"for i{depth} in range({limits}):"
        yield from ("    " * len(bounds) + filled(line, len(bounds)) for line in self.body)
        for depth in range(len(bounds) - 1, -1, -1):
            yield from ("    " * depth + filled(line, depth) for line in ends.get(depth, ()))


def written(access: Access, depth: int) -> str:
    """A place in the loops down to a depth."""
    terms = []
    for number, stride in enumerate(access.strides[:depth]):
        if stride:
            terms.append(f"i{number}" if stride == 1 else f"i{number} * {stride}")
    if access.offset or not terms:
        terms.append(str(access.offset))
    return " + ".join(terms)
