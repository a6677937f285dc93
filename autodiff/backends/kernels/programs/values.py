"""Where the values of a program are while its kernel runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends.kernels.scalars import literal

if TYPE_CHECKING:
    from autodiff.backends.kernels.programs.nest import Nest

Shape = tuple[int, ...]
Element = Any
"""The name of a variable, or a number of NumPy."""


class Impossible(Exception):
    """A program cannot become one kernel; the text says why."""


@dataclass(frozen=True, eq=False)
class Registers:
    """A small value: every element is a variable of the kernel.

    Attributes:
        elements: an array of objects: names and numbers.
        dtype: of the elements.
    """

    elements: np.ndarray
    dtype: np.dtype[Any]

    @property
    def shape(self) -> Shape:
        return self.elements.shape


@dataclass(frozen=True, eq=False)
class Buffer:
    """A value in memory.

    Attributes:
        base: the variable that holds its address.
        shape: of the value.
        strides: of each axis, in elements.
        offset: of the first element, in elements.
        dtype: of the elements.
    """

    base: str
    shape: Shape
    strides: tuple[int, ...]
    offset: int
    dtype: np.dtype[Any]

    @property
    def contiguous(self) -> bool:
        return all(
            length == 1 or own == wanted
            for length, own, wanted in zip(self.shape, self.strides, steps(self.shape), strict=True)
        )


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


Value = Registers | Buffer | Pending | Awaited | Parts


def steps(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of an array in C order."""
    return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))


def text(element: Element, dtype: np.dtype[Any]) -> str:
    """A name as it is, a number as a literal."""
    return element if isinstance(element, str) else literal(element, dtype)


def objects(shape: Shape) -> np.ndarray:
    """An array that will hold names and numbers."""
    return np.empty(shape, object)


def numbers(value: Any, shape: Shape, dtype: np.dtype[Any]) -> np.ndarray:
    """An array of objects that are all one number."""
    found = objects(shape)
    found[...] = dtype.type(value)
    return found
