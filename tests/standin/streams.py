"""Streams, events and graphs.

Whatever is asked for is done at once, or noted while a stream is captured. Within :func:`late` it is done as late as
CUDA allows: when somebody waits for it.
"""

import itertools
import math
import threading
import time
from collections import deque
from contextlib import contextmanager

from tests.standin.device import WAITING, CUDARuntimeError

_thread = threading.local()
_numbers = itertools.count(1)
_lock = threading.RLock()


class Running(threading.local):
    """Whether this thread does work that waited: what that asks for is part of it."""

    now = False


class Lateness:
    """Whether work waits."""

    on = False
    running = Running()


_queues = {}


class Queue:
    """Work that waits in one stream, each with a number that tells when it was asked for.

    Args:
        legacy: whether the stream is the default one, which waits for all that do not say that they do not block, and
            they for it.
        blocking: whether it is one of those.
    """

    def __init__(self, legacy, blocking):
        self.legacy, self.blocking, self.work = legacy, blocking, deque()

    def append(self, work):
        with _lock:
            self.work.append((next(_numbers), work))
        _queues[id(self)] = self

    def run(self, until=math.inf):
        """Do what was asked for up to a number, and before it what that waits for."""
        while self.work and self.work[0][0] <= until:
            number, work = self.work.popleft()
            if self.legacy or self.blocking:
                for other in list(_queues.values()):
                    if other is not self and (other.legacy or (self.legacy and other.blocking)):
                        other.run(number)
            before, Lateness.running.now = Lateness.running.now, True
            try:
                work()
            finally:
                Lateness.running.now = before


@contextmanager
def late():
    """Work is done when somebody waits for it, and not before."""
    Lateness.on = True
    try:
        yield
    finally:
        finish()
        Lateness.on = False


def finish():
    """Do all that waits anywhere: a device is waited for."""
    with _lock:
        while waiting := [queue for queue in _queues.values() if queue.work]:
            waiting[0].run()
        _queues.clear()


def settle(stream=None):
    """Wait for a stream; the current one if None. Nothing happens where work is done at once."""
    if Lateness.on and not Lateness.running.now:
        with _lock:
            (get_current_stream() if stream is None else stream)._queue.run()


WAITING["for everything"] = finish


class Stream:
    """A queue of work."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None, device_id=-1):
        self.ptr = 0 if null else id(self)
        self._before = []
        self._nodes = None
        self._queue = Queue(null, not null and not non_blocking)

    def __enter__(self):
        self._before.append(get_current_stream())
        self.use()
        return self

    def __exit__(self, *_):
        _thread.stream = self._before.pop()

    def use(self):
        _thread.stream = self
        return self

    def synchronize(self):
        refuse_capture("synchronize")
        settle(self)

    def record(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        if Lateness.on and self._nodes is None and event.queue is not None:
            queue, number = event.queue, event.number
            self._queue.append(lambda: queue.run(number))

    def add_callback(self, callback, argument):
        submit(lambda: callback(self, 0, argument), self)

    def launch_host_func(self, callback, argument):
        submit(lambda: callback(argument), self)

    @property
    def done(self):
        settle(self)
        return True

    def is_capturing(self):
        return self._nodes is not None

    def begin_capture(self, mode=None):
        if self.ptr in (0, 1):
            raise RuntimeError("cannot capture on the default (legacy) stream")
        self._nodes = []

    def end_capture(self):
        nodes, self._nodes = self._nodes, None
        return Graph(nodes)


Stream.null = Stream(null=True)
Stream.ptds = Stream(null=True)


class ExternalStream(Stream):
    """A queue that somebody else made."""

    def __init__(self, ptr, device_id=-1):
        super().__init__()
        self.ptr = ptr


def get_current_stream(device_id=-1):
    """The queue that takes what this thread asks for."""
    return getattr(_thread, "stream", Stream.null)


class Event:
    """A moment in a queue."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.time = 0.0
        self.ptr = id(self)
        self.queue, self.number = None, 0

    def record(self, stream=None):
        self.time = time.perf_counter()
        self.queue, self.number = (get_current_stream() if stream is None else stream)._queue, next(_numbers)

    def synchronize(self):
        if Lateness.on and self.queue is not None:
            with _lock:
                self.queue.run(self.number)

    @property
    def done(self):
        self.synchronize()
        return True


def get_elapsed_time(start, end):
    """Milliseconds between two moments."""
    return 1e3 * (end.time - start.time)


def captured():
    """What the queue has noted that takes what this thread asks for; None where it does it at once."""
    return get_current_stream()._nodes


def delayed():
    """Whether what this thread asks for is done later: noted for a graph, or waiting."""
    return captured() is not None or (Lateness.on and not Lateness.running.now)


def submit(work, stream=None):
    """Do something, or note it, or let it wait; memory that it refers to by addresses must outlive it."""
    stream = get_current_stream() if stream is None else stream
    if stream._nodes is not None:
        stream._nodes.append(work)
    elif Lateness.on and not Lateness.running.now:
        stream._queue.append(work)
    else:
        work()


def refuse_capture(what):
    """Refuse what waits for a GPU while it is captured."""
    if captured() is not None:
        raise CUDARuntimeError(900, f"cudaErrorStreamCaptureUnsupported: operation not permitted ({what})")


class Graph:
    """What was captured: functions that are called again."""

    def __init__(self, nodes):
        self.nodes = nodes

    def launch(self, stream=None):
        for node in self.nodes:
            submit(node, stream)

    def upload(self, stream=None):
        pass
