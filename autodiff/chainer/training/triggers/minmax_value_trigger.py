"""Triggers that fire when a value is the best so far."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autodiff.chainer.training.triggers.argument import get_trigger
from autodiff.chainer.training.triggers.averaged import ObservedMean
from autodiff.chainer.training.triggers.progress import as_number


class BestValueTrigger(ObservedMean):
    """Fires when the mean of a value over an interval is better than all means before.

    Args:
        key: the name of the value, as ``validation/main/accuracy``.
        compare: ``compare(best, new)`` says whether the new value is better.
        trigger: when to take the mean. Where the value was not reported in the interval it warns, and does not fire.
    """

    def __init__(self, key: str, compare: Callable[[float, float], bool], trigger: Any = (1, "epoch")) -> None:
        super().__init__(key)
        self._best_value: float | None = None
        self._interval_trigger = get_trigger(trigger)
        self._compare = compare

    def __call__(self, trainer: Any) -> bool:
        self._observe(trainer.observation)
        if not self._interval_trigger(trainer):
            return False
        value = self._take_mean()
        if value is None or not (self._best_value is None or self._compare(self._best_value, value)):
            return False
        self._best_value = value
        return True

    def serialize(self, serializer: Any) -> None:
        """Save or restore the best value, and what was observed since."""
        if hasattr(self._interval_trigger, "serialize"):
            self._interval_trigger.serialize(serializer["interval_trigger"])
        self._summary.serialize(serializer["summary"])
        self._best_value = as_number(serializer("best_value", self._best_value))


class MaxValueTrigger(BestValueTrigger):
    """Fires when the mean of a value is the largest so far.

    Args:
        key: the name of the value, as ``validation/main/accuracy``.
        trigger: when to take the mean.
    """

    def __init__(self, key: str, trigger: Any = (1, "epoch")) -> None:
        super().__init__(key, operator.lt, trigger)


class MinValueTrigger(BestValueTrigger):
    """Fires when the mean of a value is the smallest so far.

    Args:
        key: the name of the value, as ``validation/main/loss``.
        trigger: when to take the mean.
    """

    def __init__(self, key: str, trigger: Any = (1, "epoch")) -> None:
        super().__init__(key, operator.gt, trigger)
