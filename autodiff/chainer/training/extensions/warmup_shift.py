"""A hyperparameter that begins small."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extensions.shift import Shift
from autodiff.chainer.training.triggers.progress import as_number


class WarmupShift(Shift):
    """The value goes straight from ``warmup_start`` to ``init`` in the first ``warmup_iter`` calls, and stays there.

    Afterwards it leaves the attribute alone, so that another shift can take over.

    Args:
        attr: the name of the optimizer's attribute, as ``lr``.
        warmup_start: the first value.
        warmup_iter: the number of calls.
        init: the last value.
        optimizer: the optimizer; the trainer's main one if None.
    """

    def __init__(self, attr: str, warmup_start: float, warmup_iter: int, init: float, optimizer: Any = None) -> None:
        super().__init__(attr, init, None, optimizer)
        self._warmup_start = warmup_start
        self._warmup_iter = warmup_iter

    def first_value(self) -> float:
        """The value after the calls so far."""
        return self.value(self._t)

    def value(self, t: int) -> float:
        """The value after ``t`` calls."""
        assert self._init is not None
        if t >= self._warmup_iter:
            return self._init
        return self._warmup_start + t * (self._init - self._warmup_start) / self._warmup_iter

    def __call__(self, trainer: Any) -> None:
        if self._t < self._warmup_iter:
            super().__call__(trainer)
        else:
            self._t += 1

    def serialize(self, serializer: Any) -> None:
        """Save or restore the number of calls."""
        self._t = as_number(serializer("_t", self._t))
