"""Chainer 7 itself; it needs an older Python and NumPy, so it usually runs in a second interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainer

from benchmarks.subjects.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    Array = np.ndarray[Any, Any]


class Chainer(Subject):
    """`y = program(Variable(x))`, then `y.grad = seed; y.backward()`."""

    name = "chainer"
    distribution = "chainer"
    tanh = staticmethod(chainer.functions.tanh)

    def leaf(self, array: Array) -> Any:
        """A Variable."""
        return chainer.Variable(array)

    def backward(self, state: Any, leaves: Sequence[Any], seed: Any) -> Sequence[Any]:
        """Gradients as `backward()` leaves them on the leaves."""
        state.grad = seed
        state.backward()
        return [leaf.grad for leaf in leaves]

    def value(self, state: Any) -> Any:
        """The output's array."""
        return state.array

    def settings(self) -> dict[str, Any]:
        """The checks that Chainer makes of every operation."""
        return {"type_check": chainer.config.type_check, "debug": chainer.is_debug()}
