"""The mean of an observed value between two times."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.chainer.reporter import DictSummary


class ObservedMean:
    """Collects a value, and gives its mean.

    Args:
        key: the name of the value.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.summary = DictSummary()

    def observe(self, observation: dict[str, Any]) -> None:
        """Add the value, where there is one."""
        if self.key in observation:
            self.summary.add({self.key: observation[self.key]})

    def take(self) -> float | None:
        """The mean since it was taken last; None, and a warning, where there was no value."""
        mean = self.summary.compute_mean().get(self.key)
        self.summary = DictSummary()
        if mean is None:
            warnings.warn(
                f"{self.key!r} was not reported since the trigger was checked last, so it does not fire; "
                "check the spelling, and that it is reported at least as often",
                stacklevel=4,
            )
            return None
        return float(mean)
