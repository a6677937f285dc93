"""What the extensions share that change a hyperparameter step by step."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.triggers.progress import as_number


class Shift(Extension):
    """Sets an attribute of an optimizer to a function of the number of calls. A subclass says which: :meth:`value`.

    Args:
        attr: the name of the attribute.
        init: its first value; what the optimizer has if None.
        target: where the shift stops.
        optimizer: the optimizer; the trainer's main one if None.
    """

    def __init__(
        self, attr: str, init: float | None = None, target: float | None = None, optimizer: Any = None
    ) -> None:
        self._attr = attr
        self._init = init
        self._target = target
        self._optimizer = optimizer
        self._t = 0
        self._last_value: float | None = None

    def value(self, t: int) -> float:
        """The value after ``t`` calls."""
        raise NotImplementedError(f"{type(self).__name__} must define value(self, t)")

    def initialize(self, trainer: Any) -> None:
        """Set the first value, or that of a loaded snapshot."""
        optimizer = self._optimizer or trainer.updater.get_optimizer("main")
        if self._init is None:
            self._init = getattr(optimizer, self._attr)
        self._update_value(optimizer, self.first_value() if self._last_value is None else self._last_value)

    def first_value(self) -> float:
        """The value before the first call."""
        assert self._init is not None
        return self._init

    def __call__(self, trainer: Any) -> None:
        self._t += 1
        self._update_value(self._optimizer or trainer.updater.get_optimizer("main"), self.value(self._t))

    def _update_value(self, optimizer: Any, value: float) -> None:
        setattr(optimizer, self._attr, value)
        self._last_value = value

    def serialize(self, serializer: Any) -> None:
        """Save or restore the number of calls and the value."""
        self._t = as_number(serializer("_t", self._t))
        self._last_value = as_number(serializer("_last_value", self._last_value))


def stopped_at(target: float | None, value: float, rising: bool) -> float:
    """The value, not beyond the target.

    >>> stopped_at(0.5, 0.4, rising=False), stopped_at(0.5, 0.6, rising=False)
    (0.5, 0.6)
    """
    if target is None:
        return value
    beyond = value / target > 1 if rising else value / target < 1
    return target if beyond else value
