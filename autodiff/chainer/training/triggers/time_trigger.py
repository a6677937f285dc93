"""A trigger that fires at intervals of time."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.triggers.progress import as_number


class TimeTrigger:
    """Fires when the next period of time has passed since training began.

    Args:
        period: seconds.
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._next_time = period

    def __call__(self, trainer: Any) -> bool:
        if self._next_time >= trainer.elapsed_time:
            return False
        self._next_time += self._period
        return True

    def serialize(self, serializer: Any) -> None:
        """Save or restore when it fires next."""
        self._next_time = as_number(serializer("next_time", self._next_time))
