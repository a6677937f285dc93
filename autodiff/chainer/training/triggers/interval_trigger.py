"""A trigger that fires at regular intervals."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.triggers.progress import ProgressTrigger
from autodiff.trace.source import at_user_line


class IntervalTrigger(ProgressTrigger):
    """Fires whenever a multiple of the period has been reached since it was asked last.

    Args:
        period: how often; a fraction of an epoch is possible.
        unit: ``epoch`` or ``iteration``.

    Raises:
        ValueError: if the unit is another, or the period is not positive.

    >>> IntervalTrigger(20, "epoch").get_training_length()
    (20, 'epoch')
    """

    def __init__(self, period: float, unit: str) -> None:
        super().__init__(unit)
        if period <= 0:
            raise ValueError(f"the period of a trigger must be positive, got {period}{at_user_line()}")
        self.period = period
        self.count = 0

    def __call__(self, trainer: Any) -> bool:
        before, now = self.advance(trainer.updater)
        self.count = int(now // self.period)
        return bool(before // self.period != now // self.period)

    def get_training_length(self) -> tuple[float, str]:
        """Period and unit: how long training is if this stops it."""
        return self.period, self.unit

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.period}, {self.unit!r})"
