"""Exponential decay of a hyperparameter."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extensions.shift import Shift, stopped_at
from autodiff.trace.source import at_user_line


class ExponentialShift(Shift):
    """After t calls the value is ``init * rate ** t``.

    Call it once in an epoch with ``trigger=(1, "epoch")``.

    Args:
        attr: the name of the optimizer's attribute, as ``lr``.
        rate: the factor.
        init: the first value; what the optimizer has if None.
        target: where the shift stops.
        optimizer: the optimizer; the trainer's main one if None.

    Raises:
        ValueError: if the rate is negative.
    """

    def __init__(
        self, attr: str, rate: float, init: float | None = None, target: float | None = None, optimizer: Any = None
    ) -> None:
        if rate < 0:
            raise ValueError(f"ExponentialShift does not support negative rate, got {rate}{at_user_line()}")
        super().__init__(attr, init, target, optimizer)
        self._rate = rate

    def value(self, t: int) -> float:
        """The value after ``t`` calls."""
        return stopped_at(self._target, self.first_value() * self._rate**t, rising=self._rate > 1)
