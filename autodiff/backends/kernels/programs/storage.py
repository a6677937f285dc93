"""Where values are while a kernel runs: in variables, or in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.scalars import literal
from autodiff.trace.tape import Equation

Shape = tuple[int, ...]
Element = Any
"""The name of a variable, or a number of NumPy."""


class Impossible(Exception):
    """A program cannot become one kernel; the text says why.

    Attributes:
        position: which of its operations has no form; None if it is none of them alone.
        equation: the same, or the one in the body of a loop that it is.
        looped: whether that is in the body of a loop.
    """

    position: int | None = None
    equation: Equation | None = None
    looped: bool = False


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

    @property
    def distinct(self) -> bool:
        """Whether no two elements are in one place, as those of a value that is repeated along an axis are."""
        reach = 1
        for stride, length in sorted((abs(s), n) for s, n in zip(self.strides, self.shape, strict=True) if n > 1):
            if stride < reach:
                return False
            reach += stride * (length - 1)
        return True


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
