"""Streams, events and graphs: whatever is asked for is done at once, or noted while a stream is captured."""

import threading
import time

from tests.standin.device import CUDARuntimeError

_thread = threading.local()


class Stream:
    """A queue of work."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None, device_id=-1):
        self.ptr = 0 if null else id(self)
        self._before = []
        self._nodes = None

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

    def record(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        pass

    def add_callback(self, callback, argument):
        callback(self, 0, argument)

    def launch_host_func(self, callback, argument):
        callback(argument)

    @property
    def done(self):
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

    def record(self, stream=None):
        self.time = time.perf_counter()

    def synchronize(self):
        pass

    @property
    def done(self):
        return True


def get_elapsed_time(start, end):
    """Milliseconds between two moments."""
    return 1e3 * (end.time - start.time)


def captured():
    """What the queue has noted that takes what this thread asks for; None where it does it at once."""
    return get_current_stream()._nodes


def submit(work, stream=None):
    """Do something, or note it; what it refers to stays alive, as memory of a graph's pool does."""
    nodes = (get_current_stream() if stream is None else stream)._nodes
    if nodes is None:
        work()
    else:
        nodes.append(work)


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
            node()

    def upload(self, stream=None):
        pass
