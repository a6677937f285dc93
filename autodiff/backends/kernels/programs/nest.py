"""Loops that are still being filled: what several operations do to the elements of one shape, in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff.backends.kernels.programs.storage import Buffer, Shape


@dataclass
class Access:
    """A place in memory inside the loops: a constant part, and a stride for each loop."""

    offset: int
    strides: tuple[int, ...]


Line = str | tuple[str | Access, ...]
"""A line of the loops: its text, with the places in memory in it, which are written when the loops are."""


@dataclass(eq=False)
class Nest:
    """Loops over the leading axes of values.

    Attributes:
        dims: how far the loops run.
        rows: the length of an axis of which the kernel is handed a part at a time.
        body: the lines of the innermost loop.
        accesses: the places in memory in all lines.
        starts: lines before the loop of a depth, such as the beginnings of sums.
        ends: lines after it.
        loaded: the names of elements that were loaded.
        pending: the values of slots.
        targets: the strides, for each loop, with which they write to memory that outlasts them, by its name.
        written: whether the loops are in the kernel.
    """

    dims: Shape
    rows: int | None = None
    body: list[Line] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    starts: dict[int, list[Line]] = field(default_factory=dict)
    ends: dict[int, list[Line]] = field(default_factory=dict)
    loaded: dict[Any, str] = field(default_factory=dict)
    pending: dict[Any, Any] = field(default_factory=dict)
    targets: dict[str, tuple[int, ...]] = field(default_factory=dict)
    written: bool = False

    def place(self, offset: int, strides: tuple[int, ...]) -> Access:
        """A place in memory, to be a part of a line."""
        found = Access(offset, strides)
        self.accesses.append(found)
        return found

    def load(self, buffer: Buffer, offset: int, strides: tuple[int, ...], name: str) -> str:
        """The name of an element of a buffer; ``name`` if it is loaded now."""
        key = buffer.base, offset, strides, buffer.dtype
        found = self.loaded.get(key)
        if found is None:
            found = self.loaded[key] = name
            self.body.append((f"{name} = load_{buffer.dtype}({buffer.base}, ", self.place(offset, strides), ")"))
        return found

    def collapsed(self) -> tuple[list[str], list[int], dict[int, int]]:
        """How far the loops run, with those made one that run through memory as one.

        Returns:
            their limits, the number of the last of those that each is made of, and where each depth has gone.
        """
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
        depths = {depth: sum(k < depth for k in kept) for depth in marked}
        rows = [self.dims[k] == self.rows for k in kept]  # several loops made one may be as long as the rows are
        limits = ["first, last" if own else str(n) for own, n in zip(rows, dims, strict=True)]
        return limits, kept, depths

    def lines(self) -> Iterator[str]:
        """The loops as text."""
        bounds, kept, depths = self.collapsed()
        starts = {depths[depth]: lines for depth, lines in self.starts.items()}
        ends = {depths[depth]: lines for depth, lines in self.ends.items()}

        def filled(line: Line, depth: int) -> str:
            if isinstance(line, str):
                return line
            return "".join([part if isinstance(part, str) else written(part, kept[:depth]) for part in line])

        for depth, limits in enumerate(bounds):
            yield from ("    " * depth + filled(line, depth) for line in starts.get(depth, ()))
            yield "    " * depth + f"for i{depth} in range({limits}):"
        yield from ("    " * len(bounds) + filled(line, len(bounds)) for line in self.body)
        for depth in range(len(bounds) - 1, -1, -1):
            yield from ("    " * depth + filled(line, depth) for line in ends.get(depth, ()))


def written(access: Access, axes: Sequence[int]) -> str:
    """A place in the loops over some axes."""
    terms = []
    for number, axis in enumerate(axes):
        stride = access.strides[axis]
        if stride:
            terms.append(f"i{number}" if stride == 1 else f"i{number} * {stride}")
    if access.offset or not terms:
        terms.append(str(access.offset))
    return " + ".join(terms)
