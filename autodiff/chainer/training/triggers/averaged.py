"""The mean of an observed value between two times."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.chainer.reporter import DictSummary


class ObservedMean:
    """A trigger that collects a value, and gets its mean. Attributes have Chainer's names, for classes derived from it.

    Args:
        key: the name of the value.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._init_summary()

    def _init_summary(self) -> None:
        """Forget what was collected."""
        self._summary = DictSummary()

    def _observe(self, observation: dict[str, Any]) -> None:
        """Add the value, where there is one."""
        if self._key in observation:
            self._summary.add({self._key: observation[self._key]})

    def _take_mean(self) -> float | None:
        """The mean since it was taken last; None, and a warning, where there was no value."""
        mean = self._summary.compute_mean().get(self._key)
        self._init_summary()
        if mean is None:
            warnings.warn(
                f"{self._key!r} was not reported since the trigger was checked last, so it does not fire; "
                "check the spelling, and that it is reported at least as often",
                stacklevel=4,
            )
            return None
        return float(mean)
