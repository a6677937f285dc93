"""Update rules whose every element is changed for itself, computed in blocks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import weak
from autodiff.chainer.update_rule import UpdateRule

BLOCK_BYTES = 1 << 16
"""How much of each array is worked on at a time: all arrays of a rule together fit into the second level cache."""


class ElementwiseRule(UpdateRule):
    """An update rule given by :meth:`step`, which works in place on corresponding blocks of all arrays.

    Attributes:
        keeps: the names of the arrays kept between updates; they begin with zeros.
        scratch: how many arrays :meth:`step` needs to compute in.
    """

    is_elementwise = True
    keeps: tuple[str, ...] = ()
    scratch = 1

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        """Change a block in place.

        Args:
            hp: the hyperparameters.
            x: the parameter.
            g: its gradient, which must stay as it is.
            state: the arrays kept between updates.
            *scratch: arrays with arbitrary elements.
        """
        raise NotImplementedError(f"{type(self).__name__} must define step(self, hp, x, g, state, *scratch)")

    def init_state(self, param: Any) -> None:
        assert self.state is not None
        for name in self.keeps:
            self.state[name] = np.zeros_like(param.array)

    def update_core_cpu(self, param: Any) -> None:
        if param.grad is not None:
            self.apply(param)

    update_core_gpu = update_core_cpu

    def apply(self, param: Any) -> None:
        """Run :meth:`step` over all blocks."""
        hp = self.current()
        for x, g, state in blocks(param.array, param.grad, self.state or {}):
            self.step(hp, x, g, state, *(np.empty_like(x) for _ in range(self.scratch)))

    def current(self) -> Any:
        """The hyperparameters of this update, inherited ones included."""
        return SimpleNamespace(**{name: weak(value) for name, value in self.hyperparam.get_dict().items()})


def blocks(x: Any, g: Any, state: dict[str, Any]) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Corresponding pieces of all arrays; everything at once unless they are large and lie in memory alike."""
    if x.nbytes <= BLOCK_BYTES or not all(lies_in_order(array) for array in (x, *state.values())):
        yield x, g, state
        return
    x, g, state = x.reshape(-1), g.reshape(-1), {name: value.reshape(-1) for name, value in state.items()}
    length = BLOCK_BYTES // x.itemsize
    for start in range(0, x.size, length):
        piece = slice(start, start + length)
        yield x[piece], g[piece], {name: value[piece] for name, value in state.items()}


def check_eps(optimizer: str, eps: float, dtype: Any) -> None:
    """Refuse a small number that is zero in the precision in which it is added."""
    if eps != 0 and dtype.type(eps) == 0:
        raise ValueError(f"eps of {optimizer} optimizer is too small for {dtype.name} ({eps}); take a larger one")


def lies_in_order(array: Any) -> bool:
    """Whether it is a NumPy array whose elements lie in memory in the order of its indices."""
    return isinstance(array, np.ndarray) and array.flags.c_contiguous
