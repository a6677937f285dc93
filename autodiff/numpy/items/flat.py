"""``x.flat``: the elements one after another, to loop over, to pick from and to write to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.numpy.items.assignment import point, positions, put_at
from autodiff.numpy.items.indexing import index
from autodiff.ops.operators import COMPARISONS
from autodiff.ops.shape import reshape
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import index_module


class Flat:
    """The elements of a traced array. What is picked is a copy, what is written is written to the array.

    Attributes:
        base: the array.
        index: how many elements :func:`next` has given.
    """

    __slots__ = ("base", "index")

    def __init__(self, base: Tracer) -> None:
        self.base = base
        self.index = 0

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[Any]:
        return iter(self.copy())

    def __next__(self) -> Any:
        if self.index >= self.base.size:
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    @property
    def coords(self) -> tuple[int, ...]:
        """Where the element lies that comes next."""
        rest, places = self.index, []
        for length in self.base.shape[::-1]:
            places.append(rest % length)
            rest //= length
        return tuple(places[::-1])

    def __getitem__(self, key: Any) -> Any:
        return index(self.copy(), key)

    def __setitem__(self, key: Any, value: Any) -> None:
        base = self.base
        places = positions(index_module(base).zeros(base.size), key)
        value = as_operand(value)
        if np.ndim(value) == 1 and np.shape(places) != np.shape(value):
            value = FUNCTIONS[np.resize](value, np.shape(places))
        point(base, put_at(Tracer(base.primal, base.recording, base.slot), places, value))

    def copy(self) -> Any:
        """The elements as an array with one axis."""
        return reshape(self.base, shape=(self.base.size,))

    def __array__(self, *args: Any, **options: Any) -> Any:
        return self.base.__array__(*args, **options)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return function(*map(plainly, args), **{name: plainly(value) for name, value in kwargs.items()})

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*map(plainly, inputs), **kwargs)


def compare_elements(kind: type) -> None:
    """Give a class of iterators NumPy's comparisons of elements: Python's own ``==`` would be False."""
    for name, (_, operation) in COMPARISONS.items():
        setattr(kind, f"__{name}__", lambda self, other, compare=operation: compare(self[...], plainly(other)))


def plainly(value: Any) -> Any:
    """An array in place of its flat elements."""
    return value.copy() if isinstance(value, Flat) else value


compare_elements(Flat)
