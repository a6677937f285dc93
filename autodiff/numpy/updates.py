"""``x.at[i].set(v)``: a new array that differs in some places, for programs that write to no array."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.buffers import Buffer, settled
from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.numpy.namespace import OWN
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer


class At:
    """The places of an array, to be picked: ``at(x)[i]``."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Places:
        return Places(self.array, key)

    def __repr__(self) -> str:
        return f"<the places of {self.array!r}>"


class Places:
    """Some places of an array, by an index of NumPy's. Each method gives a new array and leaves the old one as it is.

    An index that occurs several times counts as often, as with ``np.add.at``; of values that are set the last one
    stays. The dtype stays too.
    """

    __slots__ = ("array", "key")

    def __init__(self, array: Any, key: Any) -> None:
        self.array = array
        self.key = key

    def get(self) -> Any:
        """What is there."""
        return self.array[self.key]

    def set(self, values: Any) -> Any:
        """Put values there."""
        new = self.copy()
        new[self.key] = values
        return new.now

    def add(self, values: Any) -> Any:
        """Add values."""
        return self.changed(np.add, values)

    def subtract(self, values: Any) -> Any:
        """Subtract values."""
        return self.changed(np.subtract, values)

    def mul(self, values: Any) -> Any:
        """Multiply by values."""
        return self.changed(np.multiply, values)

    multiply = mul

    def divide(self, values: Any) -> Any:
        """Divide by values."""
        return self.changed(np.divide, values)

    def power(self, values: Any) -> Any:
        """Raise to powers."""
        return self.changed(np.power, values)

    def min(self, values: Any) -> Any:
        """Take the smaller one of what is there and the values; equal ones have half of the derivative each."""
        return self.changed(np.minimum, values)

    def max(self, values: Any) -> Any:
        """Take the larger one of what is there and the values; equal ones have half of the derivative each."""
        return self.changed(np.maximum, values)

    def copy(self) -> Buffer:
        """A copy of the array that can be written to."""
        own = settled(self.array)
        return Buffer(FUNCTIONS[np.copy](own) if isinstance(own, Traced) else np.array(own))

    def changed(self, ufunc: np.ufunc, values: Any) -> Any:
        """The array with the results of a ufunc in its places."""
        new = self.copy()
        ufunc.at(new, self.key, as_operand(settled(values)))  # type: ignore[arg-type]
        return new.now


def at(x: Any) -> At:
    """The places of an array, plain or traced: ``at(x)[i].set(v)``, and ``get`` of what is there.

    Also ``add``, ``subtract``, ``mul`` (``multiply``), ``divide``, ``power``, ``min`` and ``max``, as in JAX.
    Traced arrays have the attribute ``x.at``, too.

    >>> import numpy as np
    >>> from autodiff import grad
    >>> from autodiff.numpy import at
    >>> at(np.zeros(3))[[0, 0, 2]].add(1.0)
    array([2., 0., 1.])
    >>> grad(lambda x: np.sum(x.at[1].set(5.0) ** 2))(np.ones(3))
    array([2., 0., 2.])
    """
    return At(x)


OWN["at"] = at
Tracer.at = property(at)  # type: ignore[attr-defined]
