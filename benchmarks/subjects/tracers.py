"""autodiff's functional face: `vjp` of plain NumPy code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff import vjp
from benchmarks.subjects.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Tracers(Subject):
    """`out, pullback = vjp(program, *leaves)`, then `pullback(seed)`."""

    name = "autodiff tracers"
    distribution = "autodiff"
    multiply = staticmethod(np.multiply)
    add = staticmethod(np.add)
    tanh = staticmethod(np.tanh)

    def forward(self, program: Callable[..., Any], leaves: Sequence[Any]) -> Any:
        """The output and its pullback."""
        return vjp(program, *leaves)

    def backward(self, state: Any, leaves: Sequence[Any], seed: Any) -> Sequence[Any]:
        """The pullback of the seed."""
        gradients = state[1](seed)
        return gradients if isinstance(gradients, tuple) else (gradients,)

    def value(self, state: Any) -> Any:
        """The output."""
        return state[0]
