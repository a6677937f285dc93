"""What a trainer needs of an updater."""

from __future__ import annotations

from typing import Any


class Updater:
    """Makes one update of the parameters at a time; see ``StandardUpdater``.

    A subclass has the counters ``iteration``, ``epoch``, ``epoch_detail``, ``previous_epoch_detail`` and
    ``is_new_epoch`` besides the methods below.
    """

    def connect_trainer(self, trainer: Any) -> None:
        """Called by the trainer that the updater is given to."""

    def finalize(self) -> None:
        """Called after the training loop."""

    def get_optimizer(self, name: str) -> Any:
        """The optimizer of that name; the first one is ``main``."""
        raise NotImplementedError(f"{type(self).__name__} must define get_optimizer(self, name)")

    def get_all_optimizers(self) -> dict[str, Any]:
        """All optimizers by name."""
        raise NotImplementedError(f"{type(self).__name__} must define get_all_optimizers(self)")

    def update(self) -> None:
        """Update the parameters once."""
        raise NotImplementedError(f"{type(self).__name__} must define update(self)")

    def serialize(self, serializer: Any) -> None:
        """Save or restore the state."""
        raise NotImplementedError(f"{type(self).__name__} must define serialize(self, serializer)")
