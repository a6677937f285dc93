"""How far training had come when a trigger was asked last."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.trace.source import at_user_line


def check_unit(unit: str) -> None:
    """Refuse units other than epochs and iterations.

    Raises:
        ValueError: for any other.
    """
    if unit not in ("epoch", "iteration"):
        raise ValueError(f"Trigger unit must be either 'epoch' or 'iteration', got {unit!r}{at_user_line()}")


class ProgressTrigger:
    """What the triggers share that compare the progress now with that when they were asked last.

    Args:
        unit: ``epoch`` or ``iteration``.
    """

    def __init__(self, unit: str) -> None:
        check_unit(unit)
        self.unit = unit
        self._previous_iteration = 0
        self._previous_epoch_detail = 0.0

    def advance(self, updater: Any) -> tuple[float, float]:
        """The progress when asked last, and now; the latter is remembered."""
        before = (self._previous_iteration, self._previous_epoch_detail)
        self._previous_iteration, self._previous_epoch_detail = now = (updater.iteration, updater.epoch_detail)
        index = self.unit == "epoch"
        return before[index], now[index]

    def serialize(self, serializer: Any) -> None:
        """Save or restore the progress; snapshots of old versions, without it, give a warning."""
        try:
            for name in ("previous_iteration", "previous_epoch_detail"):
                setattr(self, f"_{name}", as_number(serializer(name, getattr(self, f"_{name}"))))
        except KeyError:
            warnings.warn(
                f"the snapshot does not hold when {type(self).__name__} was asked last; "
                "a trigger that is not asked in every iteration may fire once too often",
                stacklevel=2,
            )


def as_number(value: Any) -> Any:
    """The Python number in what a deserializer returns."""
    return value.item() if hasattr(value, "item") else value
