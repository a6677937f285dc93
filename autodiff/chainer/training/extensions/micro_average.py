"""The ratio of two sums over an interval."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.reporter import report
from autodiff.chainer.serializer import Serializer
from autodiff.chainer.training.extension import PRIORITY_EDITOR, Extension
from autodiff.chainer.training.triggers.argument import get_trigger
from autodiff.chainer.training.triggers.progress import as_number


class MicroAverage(Extension):
    """Sums a numerator and a denominator, which need not be reported in every iteration, and reports their ratio.

    Args:
        numerator_key: the name of the numerator.
        denominator_key: the name of the denominator.
        result_key: the name of the ratio.
        trigger: when to report it and begin anew. The extension itself must be called in each iteration. It is asked
            in iterations in which both sums were reported, and in no others.
    """

    priority = PRIORITY_EDITOR

    def __init__(self, numerator_key: str, denominator_key: str, result_key: str, trigger: Any = (1, "epoch")) -> None:
        self._trigger = get_trigger(trigger)
        self._numerator_key = numerator_key
        self._denominator_key = denominator_key
        self._result_key = result_key
        self._numerator = self._denominator = 0

    def __call__(self, trainer: Any) -> None:
        observation = trainer.observation
        if self._numerator_key not in observation or self._denominator_key not in observation:
            return
        self._numerator += observation[self._numerator_key]
        self._denominator += observation[self._denominator_key]
        if self._trigger(trainer):
            result = float(self._numerator) / self._denominator
            self._numerator = self._denominator = 0
            report({self._result_key: result})

    def serialize(self, serializer: Any) -> None:
        """Save or restore the sums."""
        for name in ("_numerator", "_denominator"):
            # Sums begin as int and may become float: what is loaded need not have the type of what is there.
            value = getattr(self, name) if isinstance(serializer, Serializer) else None
            setattr(self, name, as_number(serializer(name, value)))
