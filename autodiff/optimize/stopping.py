"""When training ends before its time: a number that has not become smaller for some epochs."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan
from typing import Any

from autodiff.trace.source import at_user_line


@dataclass(frozen=True)
class EarlyStopping:
    """Ends training where a number has not become smaller for some epochs.

    Args:
        monitor: the name of the number in the history.
        patience: how many epochs in a row may bring nothing.
        min_delta: how much smaller it has to be to count.
        restore_best: whether the state of the best epoch is returned, and not the last one.

    Raises:
        ValueError: if patience is no positive whole number.

    >>> EarlyStopping("validation", patience=2).waited([3.0, 1.0, 2.0, 1.5])
    2
    """

    monitor: str = "loss"
    patience: int = 5
    min_delta: float = 0.0
    restore_best: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.patience, int) or self.patience < 1:
            raise ValueError(f"early stopping: patience is a number of epochs from 1 on, not {self.patience!r}")

    def best_epoch(self, values: list[float]) -> int:
        """The number of the epoch that was the best so far, from 0 on; NaN is never the best."""
        least, found = inf, 0
        for epoch, value in enumerate(values):
            if not isnan(value) and value < least - self.min_delta:
                least, found = value, epoch
        return found

    def waited(self, values: list[float]) -> int:
        """How many epochs have passed since the best one."""
        return len(values) - 1 - self.best_epoch(values)

    def values(self, history: dict[str, list[float]]) -> list[float]:
        """The numbers that are looked at.

        Raises:
            KeyError: if there are none of that name.
        """
        if self.monitor not in history:
            raise KeyError(
                f"early stopping looks at {self.monitor!r}{at_user_line()}, but the history has {', '.join(history)}"
            )
        return history[self.monitor]

    def ends(self, history: dict[str, list[float]]) -> bool:
        """Whether training ends."""
        return self.waited(self.values(history)) >= self.patience

    def is_best(self, history: dict[str, list[Any]]) -> bool:
        """Whether the last epoch is the best so far."""
        return self.waited(self.values(history)) == 0
