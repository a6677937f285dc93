"""Kinds of objects that are like arrays: which of them are taken as arrays, and which are refused."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np

from tests.trace.foreign.libraries import (
    DataArray,
    Frame,
    Lazy,
    Mixed,
    Own,
    Quantity,
    Series,
    Sparse,
    Tensor,
)


class Plain(np.ndarray):
    """A subclass that changes nothing."""


class Named(np.ndarray):
    """A subclass that carries something along, and changes nothing of arithmetic."""

    def __new__(cls, values: Any, name: str = "") -> Named:
        made = np.asarray(values).view(cls)
        made.name = name
        return made

    def __array_finalize__(self, other: Any) -> None:
        self.name = getattr(other, "name", None)

    def __repr__(self) -> str:
        return f"Named({np.asarray(self)!r})"


class Doubling(np.ndarray):
    """A subclass one operator of which is its own."""

    def __mul__(self, other: Any) -> Any:
        return 2.0 * (np.asarray(self) * other)

    __rmul__ = __mul__


class Tripling(np.ndarray):
    """A subclass one method of which is its own."""

    def sum(self, *args: Any, **kwargs: Any) -> Any:
        return 3.0 * np.asarray(self).sum()


class Halving(np.ndarray):
    """A subclass whose ufuncs are its own."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = getattr(ufunc, method)(*(np.asarray(x) for x in inputs), **kwargs)
        return 0.5 * out if np.asarray(out).dtype.kind == "f" else out


class WithValue(np.ndarray):
    """Like astropy's: a subclass that computes with what other operands have under the name ``value``."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        plain = [np.asarray(x) if isinstance(x, WithValue) else getattr(x, "value", x) for x in inputs]
        return getattr(ufunc, method)(*plain, **kwargs)


class Number(IntEnum):
    """Python numbers of a class of their own."""

    TWO = 2


def masked(values: Any) -> Any:
    """The last element is masked."""
    mask = np.zeros(np.shape(values), bool)
    mask[..., -1] = True
    return np.ma.MaskedArray(values, mask=mask)


def objects(values: Any) -> Any:
    """The same numbers as Python objects: ints where they are whole."""
    found = np.empty(np.shape(values), dtype=object)
    for place in np.ndindex(found.shape):
        number = float(values[place])
        found[place] = int(number) if number.is_integer() else number
    return found


def objects_with(something: Any) -> Callable[[Any], Any]:
    """The same numbers as Python objects, of which the first is something else."""

    def make(values: Any) -> Any:
        found = objects(values)
        found[(0,) * found.ndim] = something
        return found

    return make


def viewed_as(kind: type) -> Callable[[Any], Any]:
    """The same array as an instance of a subclass."""
    return lambda values: np.asarray(values).view(kind)


Make = Callable[[Any], Any]

TAKEN: dict[str, Make] = {
    "ndarray": np.asarray,
    "subclass that changes nothing": viewed_as(Plain),
    "subclass with an attribute": Named,
    "memmap": viewed_as(np.memmap),
    "recarray": viewed_as(np.recarray),
    "objects that are numbers": objects,
}
"""What is taken as the array of its numbers."""

REFUSED: dict[str, Make] = {
    "MaskedArray": masked,
    "matrix": np.matrix,
    "subclass with ufuncs of its own": viewed_as(Halving),
    "subclass with an operator of its own": viewed_as(Doubling),
    "subclass with a method of its own": viewed_as(Tripling),
    "subclass that reads value": viewed_as(WithValue),
    "Series": Series,
    "Frame": Frame,
    "DataArray": DataArray,
    "Quantity": Quantity,
    "Lazy": Lazy,
    "Sparse": Sparse,
    "Mixed": Mixed,
    "Tensor": Tensor,
    "Own": Own,
    "objects with None": objects_with(None),
    "objects with a Decimal": objects_with(Decimal(2)),
    "objects with text": objects_with("2"),
}
"""What is refused wherever it could take part."""

KINDS = TAKEN | REFUSED
"""All of them."""

NUMBERS: dict[str, Any] = {"Fraction": Fraction(1, 2), "Decimal": Decimal(2), "IntEnum": Number.TWO}
