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
        self._previous_iteration, self._previous_epoch_detail = 0, 0.0  # negative where they are not known

    def advance(self, updater: Any) -> tuple[float, float]:
        """The progress when asked last, and now; the latter is remembered.

        Where the former is not known it is that of the iteration before.
        """
        if self.unit == "epoch":
            before, now = self._previous_epoch_detail, updater.epoch_detail
            before = updater.previous_epoch_detail if before < 0 else before
        else:
            before, now = self._previous_iteration, updater.iteration
            before = now - 1 if before < 0 else before
        self._previous_iteration = updater.iteration
        self._previous_epoch_detail = getattr(updater, "epoch_detail", self._previous_epoch_detail)
        return before, now

    def serialize(self, serializer: Any) -> None:
        """Save or restore the progress; snapshots of old versions, without it, give a warning."""
        self._previous_iteration = restored(serializer, "previous_iteration", self._previous_iteration, missing=-1)
        self._previous_epoch_detail = restored(
            serializer, "previous_epoch_detail", self._previous_epoch_detail, missing=-1.0
        )
        if self._previous_iteration < 0 or self._previous_epoch_detail < 0:
            warnings.warn(
                f"the snapshot does not hold when {type(self).__name__} was asked last, which is taken to be the "
                "iteration before; a trigger that is not asked in every iteration may fire wrongly once",
                stacklevel=2,
            )


def restored(serializer: Any, name: str, value: Any, missing: Any) -> Any:
    """What a serializer saves or loads under a name; ``missing`` if a snapshot of an old version does not hold it."""
    try:
        return as_number(serializer(name, value))
    except KeyError:
        return missing


def as_number(value: Any) -> Any:
    """The Python number in what a deserializer returns."""
    return value.item() if hasattr(value, "item") else value
