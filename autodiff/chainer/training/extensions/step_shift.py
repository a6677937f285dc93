"""Decay of a hyperparameter at regular steps."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extensions.shift import Shift, stopped_at


class StepShift(Shift):
    """After t calls the value is ``init * gamma ** (t // step)``.

    Args:
        attr: the name of the optimizer's attribute, as ``lr``.
        gamma: the factor.
        step: how many calls apart.
        init: the first value; what the optimizer has if None.
        target: where the shift stops.
        optimizer: the optimizer; the trainer's main one if None.
    """

    def __init__(
        self,
        attr: str,
        gamma: float,
        step: int,
        init: float | None = None,
        target: float | None = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__(attr, init, target, optimizer)
        self._gamma = gamma
        self._step = step

    def value(self, t: int) -> float:
        """The value after ``t`` calls."""
        value = self.first_value() * self._gamma ** float(t // self._step)
        return stopped_at(self._target, value, rising=self._gamma > 1)
