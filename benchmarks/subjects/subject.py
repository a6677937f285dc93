"""What a library must say about itself to take part."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Array = np.ndarray[Any, Any]


class Subject:
    """A library under measurement; `forward` and `backward` are what is timed.

    Written for tensors that record by themselves and know `backward()`; adapters override what differs.
    """

    name = ""
    distribution = ""
    dtypes: tuple[str, ...] = ("float32", "float64")
    most_operations: int | None = None  # in one sample; None: whatever the program asks
    long_chains = True  # False: so slow that a chain of 100,000 operations is left out
    has_gradients = True  # False: only `forward` is measured
    keeps_dtype = True  # False: float32 inputs may end as float64

    multiply: Callable[..., Any] = staticmethod(operator.mul)
    add: Callable[..., Any] = staticmethod(operator.add)
    tanh: Callable[..., Any]

    def constant(self, array: Array) -> Any:
        """The array as a user of the library hands it to an operator."""
        return array

    def leaf(self, array: Array) -> Any:
        """The array as something that gradients are taken with respect to."""
        return array

    def forward(self, program: Callable[..., Any], leaves: Sequence[Any]) -> Any:
        """Run the program; whatever keeps its graph alive is returned."""
        return program(*leaves)

    def backward(self, state: Any, leaves: Sequence[Any], seed: Any) -> Sequence[Any]:
        """The gradients of the leaves, read out of what `forward` returned."""
        state.backward(seed)
        return [leaf.grad for leaf in leaves]

    def value(self, state: Any) -> Any:
        """The program's value in what `forward` returned."""
        return state

    def plain(self, array: Any) -> Array:
        """A value or gradient as a NumPy array."""
        return np.asarray(array)

    def settings(self) -> dict[str, Any]:
        """What a reader of the figures must know of the library's own configuration."""
        return {}
