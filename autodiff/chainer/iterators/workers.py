"""The processes of :class:`MultiprocessIterator`, seen from the program."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import pickle
import random
import time
import warnings
from multiprocessing import connection
from typing import Any

import numpy as np

from autodiff.chainer.iterators import worker
from autodiff.trace.source import at_user_line


class TimeoutWarning(RuntimeWarning):
    """The dataset takes very long to give examples; it may wait for something that never happens."""


class Pending:
    """A batch on its way.

    Args:
        tasks: its parts, each with the process that has it.
    """

    def __init__(self, tasks: list[tuple[Process, worker.Task]]) -> None:
        self.tasks = tasks


class Process:
    """One process, and what it has been asked for.

    Args:
        context: how processes start.
        others: the connections of processes that were started before.
        arguments: what :func:`worker.run` gets after its connections.
    """

    def __init__(self, context: Any, others: list[connection.Connection], *arguments: Any) -> None:
        self.channel, theirs = context.Pipe()
        inherited = [*others, self.channel] if context.get_start_method() == "fork" else []
        self.process = context.Process(target=worker.run, args=(theirs, inherited, *arguments), daemon=True)
        try:
            self.process.start()
        except BaseException:
            self.channel.close()
            raise
        finally:
            theirs.close()
        self.examples = 0
        self.unanswered = 0

    def ask(self, task: worker.Task) -> None:
        """Send a task."""
        with contextlib.suppress(OSError):  # a process that has died does not answer, and then it is told
            self.channel.send(task)
        self.examples += len(task.numbers)
        self.unanswered += 1

    def answer(self, timeout: float | None) -> Any:
        """The answer to the oldest task: a pair of an error or None, and a result or a traceback.

        Raises:
            TimeoutError: if there is none after so many seconds.
            RuntimeError: if the process has died.
        """
        ready = connection.wait([self.channel, self.process.sentinel], timeout)
        if not ready:
            raise TimeoutError
        with contextlib.suppress(EOFError, OSError):
            if self.channel in ready or self.channel.poll():
                answer = pickle.loads(self.channel.recv_bytes())
                self.unanswered -= 1
                return answer
        raise self.death()

    def death(self) -> RuntimeError:
        """The error that says that the process is gone, and how."""
        self.process.join(5)
        return RuntimeError(
            f"a process of MultiprocessIterator died with exit code {self.process.exitcode}{at_user_line()}; "
            "-9 means that it was killed, most often for want of memory, -11 that it crashed, 1 that it could not "
            "start: where processes are not forked the program must stand under if __name__ == '__main__'"
        )

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self.channel.close()
        self.process.terminate()
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


class Room:
    """How much shared memory there is.

    Args:
        batch_size: how many examples a batch has.
        batches: how many batches are in it at once.
        size: the bytes of one example; 0 for no shared memory.
    """

    def __init__(self, batch_size: int, batches: int, size: int) -> None:
        self.batch_size = batch_size
        self.size = size
        self.bytes = batch_size * batches * size
        self.starts = itertools.cycle(range(0, self.bytes, batch_size * size) if size else [0])


class Workers:
    """Processes that get examples.

    Args:
        dataset: the dataset.
        count: how many processes.
        room: how much shared memory there is.
        lifetime: after how many examples a process is replaced; None for never.
    """

    def __init__(self, dataset: Any, count: int, room: Room, lifetime: int | None) -> None:
        self.context = multiprocessing.get_context()
        self.dataset, self.room, self.lifetime = dataset, room, lifetime
        self.memory = self.context.RawArray("B", room.bytes) if room.size else None
        self.view = None if self.memory is None else memoryview(self.memory).cast("B")
        self.seed, self.births = entropy(), itertools.count()
        self.owner = os.getpid()
        self.turn = 0
        self.processes: list[Process] = []
        self.retired: list[Process] = []
        try:
            for _ in range(count):
                self.processes.append(self.new_process())
        except BaseException:
            self.close()
            raise

    def new_process(self) -> Process:
        """Start a process."""
        others = [process.channel for process in self.processes + self.retired]
        arguments = (self.dataset, self.memory, self.room.size, [*self.seed, next(self.births)])
        try:
            return Process(self.context, others, *arguments)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(
                f"the dataset cannot be sent to a process{at_user_line()} ({error}); define its class and functions "
                "at the top of a module, or use MultithreadIterator"
            ) from error

    def start(self, numbers: list[int]) -> Pending:
        """Divide a batch among the processes."""
        length = -(-len(numbers) // len(self.processes))
        base = next(self.room.starts)
        tasks = []
        for begin in range(0, len(numbers), length):
            task = worker.Task(numbers[begin : begin + length], base + begin * self.room.size)
            process = self.next_process()
            process.ask(task)
            tasks.append((process, task))
        return Pending(tasks)

    def next_process(self) -> Process:
        """The process whose turn it is; a new one in place of one that is too old."""
        self.turn = (self.turn + 1) % len(self.processes)
        process = self.processes[self.turn]
        if self.lifetime is not None and process.examples >= self.lifetime:
            self.retired.append(process)
            self.processes[self.turn] = self.new_process()
        return self.processes[self.turn]

    def collect(self, pending: Pending, timeout: float | None) -> list[Any]:
        """Wait for a batch; warn once if it takes longer than ``timeout`` seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        examples = []
        for process, task in pending.tasks:
            remaining = None if deadline is None else max(deadline - time.monotonic(), 0)
            try:
                answer = process.answer(remaining)
            except TimeoutError:
                warn_of_stall(timeout)
                deadline = None
                answer = process.answer(None)
            examples += self.unpacked(answer, task)
        self.end_retired()
        return examples

    def unpacked(self, answer: Any, task: worker.Task) -> list[Any]:
        """The examples of an answer; an error of the dataset is raised here."""
        error, result = answer
        if error is not None:
            raise error from RuntimeError(f"the dataset failed in a process of MultiprocessIterator:\n{result}")
        return worker.unpack(result, self.view, task.start)

    def end_retired(self) -> None:
        """End the processes that were replaced and have nothing to do any more."""
        for process in [process for process in self.retired if process.unanswered == 0]:
            self.retired.remove(process)
            process.close()

    def close(self) -> None:
        """End all processes, unless this is a forked process, to which they do not belong."""
        if self.owner != os.getpid():
            return
        for process in self.processes + self.retired:
            process.close()
        self.processes, self.retired = [], []


def entropy() -> list[int]:
    """Numbers that follow from the random numbers of the program, which stay as they are."""
    state: Any = np.random.get_state()  # noqa: NPY002 - np.random.seed must fix the processes' numbers
    return [int(number) for number in (*state[1][:4], state[2], *random.getstate()[1][:4], random.getstate()[1][-1])]


def warn_of_stall(timeout: float | None) -> None:
    """Warn that the dataset takes long."""
    warnings.warn(
        f"no batch came for {timeout} seconds{at_user_line()}: the dataset is slow, or waits for a lock that was held "
        "when processes were forked (then call multiprocessing.set_start_method('forkserver') first)",
        TimeoutWarning,
        stacklevel=2,
    )
