"""The lines of one kernel while they are written, its memory, and the loops that are still open.

Small values live in variables, an element each; of larger ones the operations gather in open loops (:mod:`nest`), one
for each shape, which are written when somebody needs what they compute in another place: then what is needed later
goes to memory.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from itertools import product
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.nest import Nest
from autodiff.backends.kernels.programs.storage import Buffer, Impossible, Shape, steps, text
from autodiff.trace.tape import Equation

BLOCK = 256
"""So many rows are done at a time, so that what is between two operations stays in cache."""

ALIGNMENT = 64
"""Bytes; where buffers begin."""


class Emitter:
    """The lines of a kernel, and the memory that it works in.

    Args:
        registers: values of at most so many elements live in variables.
        unrolled: so many elements of the last axes do in loops over the others.
        rows: the length of an axis of which the kernel takes a block at a time; None if it takes everything at once.
        outside: the operations, by their identities, for which the kernel calls out.
        call_out: emits such a call.

    Attributes:
        called_out: these calls, in the order of their numbers.
        of_numpy: the operations that are loops of NumPy's.
        rooms: the parts of the memory, by the names of their addresses: where they begin, and their bytes.
        products: the sizes of the products in memory.
        totals: sums over that axis: their variables, what they begin with, and their dtypes.
        notes: the errors that it may ask for.
        asked: what was decided by the sizes of small values: questions and answers.
    """

    def __init__(
        self,
        registers: int,
        unrolled: int,
        rows: int | None = None,
        outside: Set[int] = frozenset(),
        call_out: Callable[[Any, Equation], None] | None = None,
    ) -> None:
        self.registers, self.unrolled, self.rows = registers, unrolled, rows
        self.outside, self.call_out = outside, call_out or refuse_call
        self.called_out: list[Any] = []
        self.of_numpy: list[Equation] = []
        self.totals: list[tuple[str, str, np.dtype[Any]]] = []
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.memory = 0
        self.rooms: dict[str, tuple[int, int]] = {}
        self.loops = 0
        self.open: dict[Shape, Nest] = {}
        self.writing: dict[str, list[Nest]] = {}
        self.products: set[object] = set()
        self.checks = False
        self.notes: list[str] = []
        self.asked: dict[int | Shape, bool | int] = {}

    def line(self, written: str) -> None:
        self.lines.append("    " * self.depth + written)

    def name(self, stem: str = "v") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def define(self, written: str) -> str:
        """The name of a new variable."""
        found = self.name()
        self.line(f"{found} = {written}")
        return found

    def in_range(self, loaded: str, length: int) -> str:
        """The name of an index between 0 and a length; another one leaves a mark that the caller sees."""
        self.checks = True
        raw = self.define(loaded)
        found = self.define(f"where({raw} < 0, {raw} + {length}, {raw})")
        self.line(f"if {found} < 0 or {found} >= {length}:")
        self.line("    store_int64(status, 0, i8(1))")
        self.line(f"    {found} = 0")
        return found

    def allocate(self, shape: Shape, dtype: np.dtype[Any]) -> Buffer:
        """Room for a value in the memory of the kernel."""
        base = self.name("m")
        lengths = [BLOCK if length == self.rows else length for length in shape]
        strides = steps(lengths)
        place = str(self.memory)
        if self.rows in shape:
            place += f" - first * {strides[shape.index(self.rows)] * dtype.itemsize}"
        self.line(f"{base} = shifted(memory, {place})")
        size = prod(lengths) * dtype.itemsize
        self.rooms[base] = self.memory, size
        self.memory += -(-max(size, 1) // ALIGNMENT) * ALIGNMENT
        return Buffer(base, shape, strides, 0, dtype)

    def loop(self, head: str) -> None:
        """Begin a loop or a branch."""
        self.flush()
        self.line(head)
        self.depth += 1
        self.loops += 1

    def end(self) -> None:
        """End a loop or a branch, which may have nothing to do."""
        self.flush()
        if self.lines[-1].endswith(":"):
            self.line("pass")
        self.depth -= 1

    def split(self, shape: Shape) -> int:
        """How many leading axes of a value are loops: none where it is small."""
        found = self.asked[shape] = loops(shape, self.registers, self.unrolled)
        return found

    def small(self, size: int) -> bool:
        """Whether a value of so many elements lives in variables."""
        found = self.asked[size] = size <= self.registers
        return found

    def like(self, registers: int, unrolled: int) -> bool:
        """Whether the kernel would have been the same with other sizes of small values."""
        return all(
            found == (asked <= registers if isinstance(asked, int) else loops(asked, registers, unrolled))
            for asked, found in self.asked.items()
        )

    def nest(self, dims: Shape) -> Nest:
        found = self.open.get(dims)
        if found is None:
            found = self.open[dims] = Nest(dims, self.rows)
        return found

    def ready(self, buffer: Buffer) -> Buffer:
        """The buffer, once the loops that write to it are in the kernel."""
        for nest in self.writing.pop(buffer.base, ()):
            self.flush(nest)
        return buffer

    def flush(self, nest: Nest | None = None) -> None:
        """Write open loops: one nest, or all of them."""
        for own in [nest] if nest is not None else list(self.open.values()):
            if own.written:
                continue
            own.written = True
            if self.open.get(own.dims) is own:
                del self.open[own.dims]
            store_pending(self, own)
            for written in own.lines():
                self.line(written)
            self.loops += len(own.dims)


def refuse_call(_: Any, equation: Equation) -> None:
    """What kernels do that call out for nothing."""
    raise Impossible(f"{equation.primitive.name} has no form in kernels")


def loops(shape: Shape, registers: int, unrolled: int) -> int:
    """How many leading axes of a value are loops."""
    if prod(shape) <= registers:
        return 0
    first = len(shape)
    while first > 1 and prod(shape[first - 1 :]) <= unrolled:
        first -= 1
    return first


def store_pending(emitter: Emitter, nest: Nest) -> None:
    """Let the loops write to memory what is needed after them."""
    for (scope, slot), value in nest.pending.items():
        if scope.values.get(slot) is value and scope.needed(slot):
            target = scope.target(slot, value.shape, value.dtype)
            write(nest, target, value.elements)
            scope.values[slot] = target


def write(nest: Nest, target: Buffer, elements: np.ndarray, adding: bool = False) -> None:
    """A store of every element of the inner axes to the places of a buffer, or an addition to what is there."""
    depth = len(nest.dims)
    inner = target.shape[depth:]
    strides = tuple(0 if length == 1 else s for length, s in zip(target.shape[:depth], target.strides, strict=False))
    load, store = (f"{kind}_{target.dtype}({target.base}, " for kind in ("load", "store"))
    places, values = [], [elements[index] for index in product(*map(range, inner))]
    for index, value in zip(product(*map(range, inner)), values, strict=True):
        places.append(target.offset + sum(k * s for k, s in zip(index, target.strides[depth:], strict=True)))
        place = nest.place(places[-1], strides)
        so_far = (load, place, ") + ") if adding else ()
        nest.body.append((store, place, ", ", *so_far, f"{text(value, target.dtype)})"))
    first = f"{text(values[0], target.dtype)})"
    parts = (store, f", {load}", f") + {first}") if adding else (store, f", {first}")
    nest.flat.stored(values, parts, places, strides)
