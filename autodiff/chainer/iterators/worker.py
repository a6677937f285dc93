"""A process that gets examples for :class:`MultiprocessIterator`."""

from __future__ import annotations

import os
import pickle
import queue
import random
import signal
import threading
import traceback
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np


class Task(NamedTuple):
    """Examples to get."""

    numbers: list[int]
    start: int
    """Where in the shared memory there is room for their arrays."""


class Packed(NamedTuple):
    """Examples on their way."""

    frame: bytes
    lengths: list[int]
    """The lengths of their arrays in shared memory; empty if everything is in the frame."""


def run(channel: Connection, others: list[Connection], dataset: Any, memory: Any, size: int, seed: list[int]) -> None:
    """What the process does until the channel is closed: take tasks, and send back packed examples.

    Args:
        channel: the connection to the iterator.
        others: the iterator's ends of connections that a forked process has inherited.
        dataset: the dataset.
        memory: shared memory, or None.
        size: the bytes in it for one example.
        seed: what its random numbers are made of; no two processes have the same.
    """
    for other in others:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the iterator's process decides what Ctrl-C means
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    np.random.seed(np.random.SeedSequence(seed).generate_state(4))  # noqa: NPY002 - datasets use the global numbers
    random.seed(repr(seed))
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=receive, args=(channel, tasks), daemon=True).start()
    while True:
        channel.send_bytes(outcome(partial(fetch, dataset, tasks.get(), memory, size)))


def receive(channel: Connection, tasks: queue.SimpleQueue[Task]) -> None:
    """Take tasks as soon as they come, so that the iterator never waits to send one; end with the iterator."""
    while True:
        try:
            tasks.put(channel.recv())
        except (EOFError, OSError):
            os._exit(0)


def outcome(function: Callable[[], Any]) -> bytes:
    """The pickled pair of None and a result, or of an error and its traceback."""
    try:
        return pickle.dumps((None, function()))
    except BaseException as error:  # whatever happens in the dataset is raised again by the iterator
        text = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return pickle.dumps((error, text))


def fetch(dataset: Any, task: Task, memory: Any, size: int) -> Packed:
    """The packed examples of a task."""
    examples = [dataset[number] for number in task.numbers]
    if memory is None:
        return Packed(pickle.dumps(examples, 5), [])
    room = memoryview(memory).cast("B")[task.start : task.start + size * len(examples)]
    return pack(examples, room)


def pack(examples: list[Any], room: memoryview) -> Packed:
    """Examples whose arrays are in shared memory if they fit."""
    buffers: list[pickle.PickleBuffer] = []
    frame = pickle.dumps(examples, 5, buffer_callback=buffers.append)
    arrays = [buffer.raw() for buffer in buffers]
    lengths = [array.nbytes for array in arrays]
    if sum(lengths) > len(room):
        return Packed(pickle.dumps(examples, 5), [])
    for array, start, length in zip(arrays, accumulate(lengths, initial=0), lengths):
        room[start : start + length] = array
    return Packed(frame, lengths)


def unpack(packed: Packed, memory: memoryview | None, start: int) -> list[Any]:
    """The examples, with arrays of their own."""
    starts = accumulate(packed.lengths, initial=start)
    memory = memory or memoryview(b"")
    buffers = [bytearray(memory[begin : begin + length]) for begin, length in zip(starts, packed.lengths)]
    examples: list[Any] = pickle.loads(packed.frame, buffers=buffers)
    return examples
