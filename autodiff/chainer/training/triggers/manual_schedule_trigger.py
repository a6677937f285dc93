"""A trigger that fires at given points."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.triggers.progress import ProgressTrigger, restored


class ManualScheduleTrigger(ProgressTrigger):
    """Fires at the first time it is asked at or after each point.

    Args:
        points: a number or a list of numbers; fractions of epochs are possible.
        unit: ``epoch`` or ``iteration``.

    >>> ManualScheduleTrigger([30, 60], "epoch").points
    [30, 60]
    """

    def __init__(self, points: float | list[float], unit: str) -> None:
        super().__init__(unit)
        self.points = list(points) if isinstance(points, (list, tuple)) else [points]
        self.finished = False

    def __call__(self, trainer: Any) -> bool:
        before, now = self.advance(trainer.updater)
        self.finished = self.finished or now >= max(self.points)
        return any(before < point <= now for point in self.points)

    def serialize(self, serializer: Any) -> None:
        """Save or restore the progress and whether all points have passed."""
        super().serialize(serializer)
        self.finished = bool(restored(serializer, "finished", self.finished, missing=False))
