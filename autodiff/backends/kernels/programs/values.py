"""The values of a program while its kernel is written: where they are, or what is still to be written of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.nest import Nest
from autodiff.backends.kernels.programs.storage import Buffer, Registers, Shape


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
