"""MyGrad: tensors over NumPy with `backward()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mygrad
import numpy as np

from benchmarks.subjects.subject import Subject

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]


class MyGrad(Subject):
    """Tensors and `backward(seed)`."""

    name = "mygrad"
    distribution = "mygrad"
    keeps_dtype = False  # a Python scalar makes float32 float64, so its scalars row computes in double
    multiply = staticmethod(np.multiply)
    add = staticmethod(np.add)
    tanh = staticmethod(np.tanh)

    def leaf(self, array: Array) -> Any:
        """A tensor."""
        return mygrad.tensor(array)

    def value(self, state: Any) -> Any:
        """The output's array."""
        return state.data

    def settings(self) -> dict[str, Any]:
        """Whether arrays in a graph are locked against writing (MyGrad's default)."""
        return {"memory_guarding": mygrad.mem_guard_active(), "float32_with_scalars": "float64"}
