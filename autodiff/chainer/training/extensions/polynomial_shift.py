"""Decay of a hyperparameter to zero by a polynomial."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extensions.shift import Shift, stopped_at


class PolynomialShift(Shift):
    """After t calls the value is ``init * (1 - t / max_count) ** rate``.

    Args:
        attr: the name of the optimizer's attribute, as ``lr``.
        rate: the exponent.
        max_count: the number of calls at which it is zero.
        init: the first value; what the optimizer has if None.
        target: where the shift stops.
        optimizer: the optimizer; the trainer's main one if None.
    """

    def __init__(
        self,
        attr: str,
        rate: float,
        max_count: int,
        init: float | None = None,
        target: float | None = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__(attr, init, target, optimizer)
        self._rate = rate
        self._max_count = max_count

    def value(self, t: int) -> float:
        """The value after ``t`` calls."""
        left = max(1 - t / self._max_count, 0.0)
        return stopped_at(self._target, self.first_value() * left**self._rate, rising=self._rate < 0)
