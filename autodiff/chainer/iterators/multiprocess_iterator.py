"""The iterator whose processes get the next batches while the program works."""

from __future__ import annotations

import os
from typing import Any

from autodiff.chainer.iterators.prefetching import PrefetchingIterator
from autodiff.chainer.iterators.workers import Pending, Room, TimeoutWarning, Workers


class MultiprocessIterator(PrefetchingIterator):
    """Batches of a dataset, of which processes get the next ones ahead of time.

    Args:
        dataset: what has a length and is indexed by numbers. Unless processes are forked it must be picklable.
        batch_size: the number of examples in a batch.
        repeat: whether there is another epoch after each.
        shuffle: whether each epoch has a random order; as if True if None and there is no ``order_sampler``.
        n_processes: how many processes; as many as there are CPUs if None.
        n_prefetch: how many batches are got ahead of time.
        shared_mem: the bytes of one example in shared memory, through which arrays travel faster; larger examples
            travel as without. None for no shared memory.
        order_sampler: what decides the order of each epoch: a function of the last order and the position in it.
        dataset_timeout: after how many seconds of waiting for a batch there is a :class:`TimeoutWarning`; None for
            never.
        maxtasksperchild: after how many examples a process is replaced by a new one; None for never.

    How processes start is decided by ``multiprocessing.set_start_method``. Each has random numbers of its own, which
    ``np.random.seed`` in the program fixes. Close the iterator with :meth:`finalize` or use it in ``with``.

    Raises:
        RuntimeError: when a process has died; the text says how.

    >>> with MultiprocessIterator(range(5), 2, repeat=False, shuffle=False, n_processes=1) as iterator:
    ...     list(iterator)
    [[0, 1], [2, 3], [4]]
    """

    TimeoutWarning = TimeoutWarning
    _workers: Workers | None = None

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        repeat: bool = True,
        shuffle: bool | None = None,
        n_processes: int | None = None,
        n_prefetch: int = 1,
        shared_mem: int | None = None,
        order_sampler: Any = None,
        dataset_timeout: float | None = 30.0,
        maxtasksperchild: int | None = None,
    ) -> None:
        self.n_processes = n_processes or os.cpu_count() or 1
        self.n_prefetch = max(n_prefetch, 1)
        self.shared_mem = shared_mem
        self.dataset_timeout = dataset_timeout
        self.maxtasksperchild = maxtasksperchild
        super().__init__(dataset, batch_size, repeat, shuffle, order_sampler)
        self.shuffle = shuffle

    def _start(self, numbers: list[int]) -> Pending:
        if self._workers is None:
            room = Room(self.batch_size, self.n_prefetch + 1, self.shared_mem or 0)
            self._workers = Workers(self.dataset, self.n_processes, room, self.maxtasksperchild)
        return self._workers.start(numbers)

    def _collect(self, pending: Pending) -> list[Any]:
        assert self._workers is not None
        return self._workers.collect(pending, self.dataset_timeout)

    def _stop(self) -> None:
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    def _copied(self) -> dict[str, Any]:
        return self.__dict__ | {"_workers": None}
