"""Linear change of a hyperparameter."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extensions.shift import Shift


class LinearShift(Shift):
    """The value goes straight from ``value_range[0]`` to ``value_range[1]`` between two numbers of calls.

    Args:
        attr: the name of the optimizer's attribute, as ``lr``.
        value_range: the first and the last value.
        time_range: the number of calls at which it begins to change, and at which it is done.
        optimizer: the optimizer; the trainer's main one if None.
    """

    def __init__(
        self, attr: str, value_range: tuple[float, float], time_range: tuple[int, int], optimizer: Any = None
    ) -> None:
        super().__init__(attr, value_range[0], None, optimizer)
        self._value_range = value_range
        self._time_range = time_range

    def first_value(self) -> float:
        """The value before the first call."""
        return self.value(self._t)

    def value(self, t: int) -> float:
        """The value after ``t`` calls."""
        (first, last), (begin, end) = self._value_range, self._time_range
        if t <= begin:
            return first
        if t >= end:
            return last
        return first + (t - begin) / (end - begin) * (last - first)
