"""What every iterator over the batches of a dataset can do."""

from __future__ import annotations

from typing import Any, Self


class Iterator:
    """Batches of examples, one after the other.

    A subclass defines ``__next__``, and usually the attributes ``batch_size``, ``epoch``, ``epoch_detail``,
    ``previous_epoch_detail``, ``is_new_epoch`` and ``repeat`` that updaters and triggers read.
    """

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        """The next batch: a list of examples."""
        raise NotImplementedError(f"{type(self).__name__} must define __next__")

    def next(self) -> Any:
        """The next batch, as ``next(iterator)``."""
        return self.__next__()

    def finalize(self) -> None:
        """Release what the iterator holds: threads, processes, memory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finalize()

    def __del__(self) -> None:
        self.finalize()

    def serialize(self, serializer: Any) -> None:
        """Save or load where in the dataset it is."""
