"""The iterator whose threads get the next batch while the program works."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from autodiff.chainer.iterators.prefetching import PrefetchingIterator


class MultithreadIterator(PrefetchingIterator):
    """Batches of a dataset, of which threads get the next one ahead of time.

    Args:
        dataset: what has a length and is indexed by numbers, by several threads at once.
        batch_size: the number of examples in a batch.
        repeat: whether there is another epoch after each.
        shuffle: whether each epoch has a random order; as if True if None and there is no ``order_sampler``.
        n_threads: how many threads.
        order_sampler: what decides the order of each epoch: a function of the last order and the position in it.

    Threads help where examples are read from files or the network, or computed by NumPy. Close the iterator with
    :meth:`finalize` or use it in ``with``.

    >>> with MultithreadIterator("abcde", 2, repeat=False, shuffle=False, n_threads=2) as iterator:
    ...     list(iterator)
    [['a', 'b'], ['c', 'd'], ['e']]
    """

    keys_of_order = ("_order", "order")
    _pool: ThreadPoolExecutor | None = None

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        repeat: bool = True,
        shuffle: bool | None = None,
        n_threads: int = 1,
        order_sampler: Any = None,
    ) -> None:
        self.n_threads = n_threads
        super().__init__(dataset, batch_size, repeat, shuffle, order_sampler)

    def _start(self, numbers: list[int]) -> list[Future[Any]]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.n_threads, "MultithreadIterator")
        return [self._pool.submit(self.dataset.__getitem__, number) for number in numbers]

    def _collect(self, pending: list[Future[Any]]) -> list[Any]:
        return [future.result() for future in pending]

    def _stop(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _save_order(self, serializer: Any, order: Any) -> Any:
        return serializer("_order", order)  # also None, which Chainer expects of this iterator

    def _copied(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}
