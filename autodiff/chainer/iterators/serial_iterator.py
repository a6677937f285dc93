"""The iterator that gets examples one after the other."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.iterators.progress import ProgressIterator


class SerialIterator(ProgressIterator):
    """Batches of a dataset, as lists of examples.

    Args:
        dataset: what has a length and is indexed by numbers.
        batch_size: the number of examples in a batch.
        repeat: whether there is another epoch after each. If not, the last batch may be smaller.
        shuffle: whether each epoch has a random order, which ``np.random.seed`` fixes; as if True if None and there
            is no ``order_sampler``.
        order_sampler: what decides the order of each epoch: a function of the last order and the position in it.

    >>> iterator = SerialIterator("abcde", 2, repeat=False, shuffle=False)
    >>> list(iterator), iterator.epoch
    ([['a', 'b'], ['c', 'd'], ['e']], 1)
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        repeat: bool = True,
        shuffle: bool | None = None,
        order_sampler: Any = None,
    ) -> None:
        super().__init__(dataset, batch_size, repeat, shuffle, order_sampler)

    def __next__(self) -> list[Any]:
        planned = self._after(self._state)
        if planned is None:
            self._previous_epoch_detail = self.epoch_detail
            raise StopIteration
        state, numbers = planned
        self._advance(state)
        return [self.dataset[number] for number in numbers]
