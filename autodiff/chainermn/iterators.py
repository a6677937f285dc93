"""Iterators that give the same batches in all processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.dataset.iterator import Iterator
from autodiff.chainer.iterators import ShuffleOrderSampler
from autodiff.trace.source import at_user_line

PROGRESS = ("epoch", "is_new_epoch", "current_position", "epoch_detail", "previous_epoch_detail")


def create_multi_node_iterator(actual_iterator: Any, communicator: Any, rank_master: int = 0) -> Any:
    """An iterator that gives in all processes the batches that one of them has.

    Args:
        actual_iterator: the iterator of process ``rank_master``; that of others does not count.
        communicator: the communicator.
        rank_master: whose batches they are: lists of whatever can be pickled.
    """
    return _MultiNodeIterator(actual_iterator if communicator.rank == rank_master else None, communicator, rank_master)


class _MultiNodeIterator(Iterator):
    """What :func:`create_multi_node_iterator` makes."""

    def __init__(self, actual_iterator: Any, communicator: Any, rank_master: int) -> None:
        self.actual_iterator, self.communicator, self.rank_master = actual_iterator, communicator, rank_master
        self._progress = communicator.bcast_obj(self._now(), root=rank_master)

    def _now(self) -> dict[str, Any]:
        """How far the iterator of the master is."""
        actual = self.actual_iterator
        return {} if actual is None else {name: getattr(actual, name) for name in PROGRESS if hasattr(actual, name)}

    def __next__(self) -> Any:
        found: Any = None
        if self.actual_iterator is not None:
            try:
                found = (next(self.actual_iterator),)
            except StopIteration:
                found = ()
            found = (found, self._now())
        batch, self._progress = self.communicator.bcast_obj(found, root=self.rank_master)
        if not batch:
            raise StopIteration
        return batch[0]

    next = __next__

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("_progress", {}):
            return self._progress[name]
        if self.__dict__.get("actual_iterator") is None:
            raise AttributeError(
                f"the iterator of process {self.__dict__.get('rank_master')} has what is asked: {name}"
            )
        return getattr(self.actual_iterator, name)

    def reset(self) -> None:
        """Begin again, in all processes."""
        if self.actual_iterator is not None:
            self.actual_iterator.reset()
        self._progress = self.communicator.bcast_obj(self._now(), root=self.rank_master)

    def serialize(self, serializer: Any) -> None:
        """Save or load how far the master is, in all processes."""
        if self.actual_iterator is not None:
            self.actual_iterator.serialize(serializer)
        self._progress = self.communicator.bcast_obj(self._now(), root=self.rank_master)


def create_synchronized_iterator(actual_iterator: Any, communicator: Any) -> Any:
    """The iterator itself, which shuffles in the same order in all processes from now on.

    Args:
        actual_iterator: an iterator with an ``order_sampler``, over the same dataset in all processes.
        communicator: the communicator.

    Raises:
        ValueError: if it has no ``order_sampler``.
    """
    if not hasattr(actual_iterator, "order_sampler"):
        raise ValueError(f"actual_iterator must have order_sampler{at_user_line()}")
    seed = communicator.bcast_obj(int(np.random.RandomState().randint(0, 2**32 - 1, dtype=np.int64)))
    actual_iterator.order_sampler = ShuffleOrderSampler(np.random.RandomState(seed))
    actual_iterator.reset()
    return actual_iterator
