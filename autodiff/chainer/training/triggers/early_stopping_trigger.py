"""A stop trigger for when a value does not get better any more."""

from __future__ import annotations

import operator
import sys
from typing import Any

from autodiff.chainer.training.triggers.argument import get_trigger
from autodiff.chainer.training.triggers.averaged import ObservedMean
from autodiff.trace.source import at_user_line


class EarlyStoppingTrigger(ObservedMean):
    """Fires when a value was not better than the best one for ``patience`` checks, or training is long enough.

    Args:
        check_trigger: when to check, with the mean of the value since the last check.
        monitor: the name of the value.
        patience: how many checks may pass without a better value; 3 by default.
        mode: ``max``, ``min``, or ``auto``: max if ``accuracy`` is part of the name.
        verbose: whether to print what is happening.
        max_trigger: when to stop in any case.
        patients: an old spelling of ``patience``.

    Raises:
        TypeError: if both spellings are used.
    """

    def __init__(
        self,
        check_trigger: Any = (1, "epoch"),
        monitor: str = "main/loss",
        patience: int | None = None,
        mode: str = "auto",
        verbose: bool = False,
        max_trigger: Any = (100, "epoch"),
        *,
        patients: int | None = None,
    ) -> None:
        if patience is not None and patients is not None:
            raise TypeError(
                f"both patience= and patients= are given{at_user_line()}; patients is an old spelling, pass only "
                "patience"
            )
        super().__init__(monitor)
        self.count = 0
        self.patience = next((value for value in (patience, patients) if value is not None), 3)
        self.monitor = monitor
        self.verbose = verbose
        self._max_trigger = get_trigger(max_trigger)
        self._interval_trigger = get_trigger(check_trigger)
        larger = mode == "max" or (mode == "auto" and "accuracy" in monitor)
        self._compare = operator.gt if larger else operator.lt
        self.best = float("-inf") if larger else float("inf")
        self._say(f"early stopping: operator is {'greater' if larger else 'less'}")

    def __call__(self, trainer: Any) -> bool:
        self._observe(trainer.observation)
        if self._max_trigger(trainer):
            return True
        if not self._interval_trigger(trainer):
            return False
        value = self._take_mean()
        return value is not None and self._check(value, trainer)

    def _check(self, value: float, trainer: Any) -> bool:
        if self._compare(value, self.best):
            self.best, self.count = value, 0
        else:
            self.count += 1
        if self.count < self.patience:
            return False
        self._say(f"Epoch {trainer.updater.epoch}: early stopping")
        return True

    def _say(self, text: str) -> None:
        if self.verbose:
            sys.stdout.write(text + "\n")

    def get_training_length(self) -> tuple[float, str]:
        """The longest possible training: that of ``max_trigger``."""
        return self._max_trigger.get_training_length()  # type: ignore[attr-defined, no-any-return]
