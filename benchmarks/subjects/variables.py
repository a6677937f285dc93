"""autodiff's stateful face: Variables and `backward()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff import Variable
from benchmarks.subjects.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    Array = np.ndarray[Any, Any]


class Variables(Subject):
    """`y = program(Variable(x))`, then `y.grad = seed; y.backward()`."""

    name = "autodiff Variables"
    distribution = "autodiff"
    multiply = staticmethod(np.multiply)
    add = staticmethod(np.add)
    tanh = staticmethod(np.tanh)

    def leaf(self, array: Array) -> Any:
        """A Variable."""
        return Variable(array)

    def backward(self, state: Any, leaves: Sequence[Any], seed: Any) -> Sequence[Any]:
        """Gradients as `backward()` leaves them on the leaves."""
        state.grad = seed
        state.backward()
        return [leaf.grad for leaf in leaves]

    def value(self, state: Any) -> Any:
        """The output's array."""
        return state.array
