"""Loops that are still being filled: what several operations do to the elements of one shape, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.flat import Access, Flat, Line
from autodiff.backends.kernels.programs.storage import Buffer, Shape, objects


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
        flat: the same with the elements of the inner axes in a loop.
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
    flat: Flat = field(default_factory=Flat)
    pending: dict[Any, Any] = field(default_factory=dict)
    targets: dict[str, tuple[int, ...]] = field(default_factory=dict)
    written: bool = False

    def place(self, offset: int, strides: tuple[int, ...]) -> Access:
        """A place in memory, to be a part of a line."""
        found = Access(offset, strides)
        self.accesses.append(found)
        return found

    def line(self, line: Line) -> None:
        """A line for some elements of the inner axes alone, or between them."""
        self.flat.spoil()
        self.body.append(line)

    def loads(
        self, buffer: Buffer, places: np.ndarray, strides: tuple[int, ...], name: Callable[[], str]
    ) -> np.ndarray:
        """The names of elements of a buffer, which are loaded if they are not yet.

        Args:
            buffer: the buffer.
            places: of the elements, on the inner axes.
            strides: for the loops.
            name: makes a new name.
        """
        elements, new = objects(places.shape), 0
        load = f"load_{buffer.dtype}({buffer.base}, "
        for index, place in np.ndenumerate(places):
            key = buffer.base, int(place), strides, buffer.dtype
            if key not in self.loaded:
                self.loaded[key] = name()
                self.body.append((f"{self.loaded[key]} = {load}", self.place(int(place), strides), ")"))
                new += 1
            elements[index] = self.loaded[key]
        names = list(elements.flat)
        if new not in (0, len(names)):
            self.flat.spoil()
        self.flat.loaded(names, bool(new), f"{names[0]} = {load}", places.ravel().tolist(), strides)
        return elements

    def collapsed(self) -> tuple[list[str], list[int], dict[int, int]]:
        """How far the loops run, with those made one that run through memory as one.

        Returns:
            their limits, the number of the last of those that each is made of, and where each depth has gone.
        """
        marked = {*self.starts, *self.ends}
        every = (*self.dims, self.flat.count) if self.is_flat else self.dims
        accesses = self.flat.accesses if self.is_flat else self.accesses
        dims: list[int] = []
        kept: list[int] = []
        rows: list[int] = []  # how many elements each loop has for one of the rows; 0 if it is none over them
        for axis, length in enumerate(every):
            inner = axis == len(self.dims)
            joined = bool(dims) and axis not in marked
            joined = joined and (inner or self.rows not in (length, every[kept[-1]]))
            joined = joined and all(a.strides[kept[-1]] == a.strides[axis] * length for a in accesses)
            if joined:
                dims[-1] *= length
                rows[-1] *= length
                kept[-1] = axis
            else:
                dims.append(length)
                rows.append(int(length == self.rows and not inner))
                kept.append(axis)
        depths = {depth: sum(k < depth for k in kept) for depth in marked}
        limits = [of_rows(own) if own else str(n) for own, n in zip(rows, dims, strict=True)]
        return limits, kept, depths

    @property
    def is_flat(self) -> bool:
        """Whether the elements of the inner axes are a loop."""
        return self.flat.shorter and not self.starts and not self.ends

    def lines(self) -> Iterator[str]:
        """The loops as text."""
        bounds, kept, depths = self.collapsed()
        starts = {depths[depth]: lines for depth, lines in self.starts.items()}
        ends = {depths[depth]: lines for depth, lines in self.ends.items()}
        body = self.flat.body if self.is_flat else self.body

        def filled(line: Line, depth: int) -> str:
            if isinstance(line, str):
                return line
            return "".join([part if isinstance(part, str) else written(part, kept[:depth]) for part in line])

        for depth, limits in enumerate(bounds):
            yield from ("    " * depth + filled(line, depth) for line in starts.get(depth, ()))
            yield "    " * depth + f"for i{depth} in range({limits}):"
        yield from ("    " * len(bounds) + filled(line, len(bounds)) for line in body)
        for depth in range(len(bounds) - 1, -1, -1):
            yield from ("    " * depth + filled(line, depth) for line in ends.get(depth, ()))


def of_rows(times: int) -> str:
    """The limits of a loop over the rows that are handed over, with so many elements each."""
    return "first, last" if times == 1 else f"first * {times}, last * {times}"


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
