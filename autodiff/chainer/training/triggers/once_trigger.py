"""A trigger that fires once."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.chainer.training.triggers.progress import restored


class OnceTrigger:
    """Fires the first time that it is asked.

    Args:
        call_on_resume: whether to fire once more after a snapshot was loaded.
    """

    def __init__(self, call_on_resume: bool = False) -> None:
        self._flag_first = True
        self._flag_resumed = call_on_resume

    @property
    def finished(self) -> bool:
        """Whether it will never fire again."""
        return not (self._flag_first or self._flag_resumed)

    def __call__(self, trainer: Any) -> bool:
        fire = not self.finished
        self._flag_first = self._flag_resumed = False
        return fire

    def serialize(self, serializer: Any) -> None:
        """Save or restore whether it has fired; snapshots of old versions, which do not say, give a warning."""
        first = restored(serializer, "_flag_first", self._flag_first, missing=None)
        if first is None:
            warnings.warn(
                "the snapshot does not hold whether OnceTrigger has fired, which is taken to be so; if it had not, it "
                "will not fire any more",
                stacklevel=2,
            )
        self._flag_first = bool(first)
