"""The values of a program while its kernel is written: where they are, or what is still to be written of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.nest import Nest
from autodiff.backends.kernels.programs.storage import Buffer, Registers, Shape
from autodiff.trace.tape import Tape


@dataclass(frozen=True, eq=False)
class Pending:
    """A value of a nest of loops that is not written yet.

    Attributes:
        nest: the loops; they run over the leading axes.
        elements: an array of objects over the other axes.
        shape: of the whole value.
        dtype: of the elements.
    """

    nest: Nest
    elements: np.ndarray
    shape: Shape
    dtype: np.dtype[Any]


@dataclass(frozen=True, eq=False)
class Awaited:
    """A value that is there once a nest of loops is written."""

    nest: Nest
    value: Registers | Buffer

    @property
    def shape(self) -> Shape:
        return self.value.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.value.dtype


@dataclass(frozen=True, eq=False)
class Parts:
    """A sum of values of which each fills only a part: what slices send back to what they were taken from.

    Attributes:
        shape: of the whole.
        dtype: of the elements.
        base: a slot of that shape, to which the parts are added; None for zeros.
        pieces: index and slot of each part.
    """

    shape: Shape
    dtype: np.dtype[Any]
    base: int | None
    pieces: tuple[tuple[tuple[Any, ...], int], ...]

    @property
    def apart(self) -> bool:
        """Whether no two parts meet."""
        return bool(self.counts.max() <= 1)

    @property
    def whole(self) -> bool:
        """Whether every element is in one part."""
        return bool((self.counts == 1).all())

    @property
    def counts(self) -> np.ndarray:
        found = np.zeros(self.shape, np.int16)
        for key, _ in self.pieces:
            found[key] += 1
        return found


@dataclass(frozen=True, eq=False)
class Row:
    """Zeros with one row, at a place that an index names: what a pick sends back to what it was taken from.

    Attributes:
        shape: of the whole; its first axis is that of the index.
        dtype: of the elements.
        index: the slot of the place.
        row: the slot of what is there.
    """

    shape: Shape
    dtype: np.dtype[Any]
    index: int
    row: int


Value = Registers | Buffer | Pending | Awaited | Parts | Row


class Values(dict[int, Value]):
    """Values by their slots, and the slots that were in each place of memory."""

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__()
        self._slots: dict[str, dict[int, None]] = {}
        for slot, value in enumerate(values):
            self[slot] = value

    def __setitem__(self, slot: int, value: Value) -> None:
        super().__setitem__(slot, value)
        if isinstance(value, Buffer):
            self._slots.setdefault(value.base, {})[slot] = None

    def read_after(self, base: str, position: int, last: Mapping[int, int]) -> bool:
        """Whether a value in a place of memory is read after a position.

        Nobody asks again for those that were read before it: what is written part by part would have thousands.
        """
        slots = self._slots.get(base, {})
        for slot in [slot for slot in slots if last.get(slot, -1) < position]:
            del slots[slot]
        found = [self.get(slot) for slot in slots if last.get(slot, -1) > position]
        return any(isinstance(value, Buffer) and value.base == base for value in found)


def last_of_sums(tape: Tape, last: Mapping[int, int]) -> dict[int, int]:
    """Where each value is read last, or sums of parts are to which it may belong; ``last`` tells where it is read."""
    parts: dict[int, bool] = {}  # the sums of parts, and whether all of one is in parts
    for equation in tape.equations:
        name, slot = equation.primitive.name, equation.results[0] if equation.results else -1
        if name == "slice_into":
            parts[slot] = True
        elif name == "add":
            found = [parts.get(o) if isinstance(o, int) else None for o in equation.operands]
            if True in found:
                parts[slot] = found == [True, True]
    until = dict(last)
    for equation in reversed(tape.equations):
        if equation.results and equation.results[0] in parts:
            reach = until.get(equation.results[0], -1)
            for operand in equation.operands:
                if isinstance(operand, int):
                    until[operand] = max(until.get(operand, -1), reach)
    return until
