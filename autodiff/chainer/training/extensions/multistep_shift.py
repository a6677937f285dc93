"""Decay of a hyperparameter at given steps."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extensions.shift import Shift
from autodiff.chainer.training.triggers.progress import as_number


class MultistepShift(Shift):
    """The value is multiplied by ``gamma`` when the number of calls reaches one of the steps.

    Args:
        attr: the name of the optimizer's attribute, as ``lr``.
        gamma: the factor.
        step_value: the steps, in rising order.
        init: the first value.
        optimizer: the optimizer; the trainer's main one if None.
    """

    def __init__(self, attr: str, gamma: float, step_value: list[int], init: float, optimizer: Any = None) -> None:
        super().__init__(attr, init, None, optimizer)
        self._gamma = gamma
        self._step_value = step_value
        self._current_step = 0

    def first_value(self) -> float:
        """The value that the steps so far have made."""
        assert self._init is not None
        return self._init * self._gamma**self._current_step

    def value(self, t: int) -> float:
        """The value after ``t`` calls."""
        if self._current_step < len(self._step_value) and t >= self._step_value[self._current_step]:
            self._current_step += 1
        return self.first_value()

    def serialize(self, serializer: Any) -> None:
        """Save or restore the number of calls and of steps."""
        self._t = as_number(serializer("_t", self._t))
        self._current_step = as_number(serializer("_current_step", self._current_step))
