"""HIPS autograd: the functional tape in pure Python that many know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import autograd
import autograd.numpy as autograd_numpy

from benchmarks.subjects.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Autograd(Subject):
    """`pullback, out = make_vjp(program)(*leaves)`, then `pullback(seed)`."""

    name = "autograd"
    distribution = "autograd"
    multiply = staticmethod(autograd_numpy.multiply)
    add = staticmethod(autograd_numpy.add)
    tanh = staticmethod(autograd_numpy.tanh)

    def forward(self, program: Callable[..., Any], leaves: Sequence[Any]) -> Any:
        """The pullback and the output."""
        which = 0 if len(leaves) == 1 else tuple(range(len(leaves)))
        return autograd.make_vjp(program, which)(*leaves)

    def backward(self, state: Any, leaves: Sequence[Any], seed: Any) -> Sequence[Any]:
        """The pullback of the seed."""
        gradients = state[0](seed)
        return gradients if isinstance(gradients, tuple) else (gradients,)

    def value(self, state: Any) -> Any:
        """The output."""
        return state[1]
