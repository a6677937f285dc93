"""Decay of a hyperparameter by a power of the time."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extensions.shift import Shift, stopped_at
from autodiff.trace.source import at_user_line


class InverseShift(Shift):
    """After t calls the value is ``init * (1 + gamma * t) ** -power``.

    Args:
        attr: the name of the optimizer's attribute, as ``lr``.
        gamma: how fast.
        power: the exponent.
        init: the first value; what the optimizer has if None.
        target: where the shift stops.
        optimizer: the optimizer; the trainer's main one if None.

    Raises:
        ValueError: if gamma is negative.
    """

    def __init__(
        self,
        attr: str,
        gamma: float,
        power: float,
        init: float | None = None,
        target: float | None = None,
        optimizer: Any = None,
    ) -> None:
        if gamma < 0:
            raise ValueError(f"InverseShift does not support negative gamma, got {gamma}{at_user_line()}")
        super().__init__(attr, init, target, optimizer)
        self._gamma = gamma
        self._power = power

    def value(self, t: int) -> float:
        """The value after ``t`` calls."""
        value = self.first_value() * (1 + self._gamma * t) ** -self._power
        return stopped_at(self._target, value, rising=self._power < 0)
