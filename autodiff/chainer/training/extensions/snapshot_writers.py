"""How snapshots get to the disk: at once, or behind the back of the training loop.

A writer is called with a file name, a folder, and the arrays to save by name.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import threading
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.serializers.npz import save_npz
from autodiff.chainer.training.extensions.writing import whole_file

SaveFunction = Callable[..., Any]
"""``savefun(path, target)`` writes the target to a file."""


class Writer:
    """What all writers share. A subclass defines ``__call__``, which calls :meth:`save`."""

    def __init__(self) -> None:
        self._post_save_hooks: list[Callable[[], Any]] = []

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Write the target, or let it be written.

        Args:
            filename: the file's name.
            outdir: its folder.
            target: the arrays by name.
        """
        raise NotImplementedError(f"{type(self).__name__} must define __call__(self, filename, outdir, target)")

    def __del__(self) -> None:
        self.finalize()

    def finalize(self) -> None:
        """Wait until everything is written."""

    def save(self, filename: str, outdir: str, target: Any, savefun: SaveFunction, **kwds: Any) -> None:
        """Write the target now; the file appears when it is complete."""
        with whole_file(os.path.join(outdir, filename)) as path:
            savefun(path, target, **kwds)
        self._post_save()

    def _add_cleanup_hook(self, hook_fun: Callable[[], Any]) -> None:
        """Have a function called after each file."""
        self._post_save_hooks.append(hook_fun)

    def _post_save(self) -> None:
        for hook in self._post_save_hooks:
            hook()


class SimpleWriter(Writer):
    """Writes at once.

    Args:
        savefun: writes a file: ``save_npz`` by default.
        kwds: further keywords for it.
    """

    def __init__(self, savefun: SaveFunction = save_npz, **kwds: Any) -> None:
        super().__init__()
        self._savefun = savefun
        self._kwds = kwds

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Write the target."""
        self.save(filename, outdir, target, self._savefun, **self._kwds)


class StandardWriter(Writer):
    """Writes with a worker for each file, one after the other. A subclass defines :meth:`create_worker`.

    Args:
        savefun: writes a file: ``save_npz`` by default.
        kwds: further keywords for it.
    """

    _started = False
    _finalized = False
    _worker: Any = None

    def __init__(self, savefun: SaveFunction = save_npz, **kwds: Any) -> None:
        super().__init__()
        self._savefun = savefun
        self._kwds = kwds

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Wait for the worker of before, and start one for this target."""
        self._join()
        self._filename = filename
        self._worker = self.create_worker(filename, outdir, held(target), **self._kwds)
        self._worker.start()
        self._started = True

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """Something like a thread that saves the target: with ``start()`` and ``join()``."""
        raise NotImplementedError(f"{type(self).__name__} must define create_worker(self, filename, outdir, target)")

    def _join(self) -> None:
        if self._started:
            self._worker.join()
            self._started = False

    def finalize(self) -> None:
        """Wait for the worker."""
        self._join()
        self._finalized = True

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_worker": None, "_started": False}  # a process cannot be sent to another


class ThreadWriter(StandardWriter):
    """Writes in a thread.

    Args:
        savefun: writes a file: ``save_npz`` by default.
        kwds: further keywords for it.
    """

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """A thread."""
        return threading.Thread(target=self.save, args=(filename, outdir, target, self._savefun), kwargs=kwds)


class ProcessWriter(StandardWriter):
    """Writes in a process, so that training need not wait for Python's lock.

    Args:
        savefun: writes a file: ``save_npz`` by default.
        kwds: further keywords for it.
    """

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """A process."""
        return multiprocessing.Process(target=self.save, args=(filename, outdir, target, self._savefun), kwargs=kwds)


class QueueWriter(Writer):
    """Hands the targets to one consumer. A subclass defines :meth:`create_queue` and :meth:`create_consumer`.

    Args:
        savefun: writes a file: ``save_npz`` by default.
        task: writes a target: a writer; ``SimpleWriter(savefun)`` by default.
    """

    _started = False
    _finalized = False
    _queue: Any = None
    _consumer: Any = None

    def __init__(self, savefun: SaveFunction = save_npz, task: Callable[..., Any] | None = None) -> None:
        super().__init__()
        self._task = self.create_task(savefun) if task is None else task

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Put the target in the queue."""
        if not self._started:
            self._queue = self.create_queue()
            self._consumer = self.create_consumer(self._queue)
            self._consumer.start()
            self._started = True
        self._queue.put((self._task, filename, outdir, held(target)))

    def create_task(self, savefun: SaveFunction) -> Callable[..., Any]:
        """What writes a target."""
        return SimpleWriter(savefun)

    def create_queue(self) -> Any:
        """Something like a ``queue.Queue``."""
        raise NotImplementedError(f"{type(self).__name__} must define create_queue(self)")

    def create_consumer(self, q: Any) -> Any:
        """Something like a thread that runs :meth:`consume`: with ``start()`` and ``join()``."""
        raise NotImplementedError(f"{type(self).__name__} must define create_consumer(self, q)")

    def consume(self, q: Any) -> None:
        """Write what comes out of the queue, until that is None.

        What a task raises is printed, and the next one is taken: nobody would wait for it otherwise.
        """
        while (item := q.get()) is not None:
            try:
                item[0](*item[1:])
                self._post_save()
            except Exception:
                traceback.print_exc()
            finally:
                q.task_done()
        q.task_done()

    def finalize(self) -> None:
        """Wait until the queue is empty, and end the consumer."""
        if self._started:
            self._queue.put(None)
            self._queue.join()
            self._consumer.join()
            self._started = False
        self._finalized = True

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_consumer": None, "_queue": None, "_started": False}


class ThreadQueueWriter(QueueWriter):
    """Writes in one thread.

    Args:
        savefun: writes a file: ``save_npz`` by default.
        task: writes a target: a writer; ``SimpleWriter(savefun)`` by default.
    """

    def create_queue(self) -> Any:
        """A queue between threads."""
        return queue.Queue()

    def create_consumer(self, q: Any) -> Any:
        """A thread."""
        return threading.Thread(target=self.consume, args=(q,))


class ProcessQueueWriter(QueueWriter):
    """Writes in one process.

    Args:
        savefun: writes a file: ``save_npz`` by default.
        task: writes a target: a writer; ``SimpleWriter(savefun)`` by default.
    """

    def create_queue(self) -> Any:
        """A queue between processes."""
        return multiprocessing.JoinableQueue()

    def create_consumer(self, q: Any) -> Any:
        """A process."""
        return multiprocessing.Process(target=self.consume, args=(q,))


def held(target: Any) -> Any:
    """The target with copies of its arrays: optimizers change the arrays in place while a worker writes."""
    if not isinstance(target, dict):
        return target
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in target.items()}
