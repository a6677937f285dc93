"""Memory of GPUs as CuPy's pools give it: what is freed is poisoned, and handed out again at once in its stream."""

import ctypes
import threading
import weakref
from contextlib import contextmanager

import numpy as np

from tests.standin import device as devices
from tests.standin import streams

ROUNDED = 512
"""Blocks are multiples of so many bytes, as CuPy's are."""

POISON = 0xFF
"""Of which byte memory is full that nobody has written: no numbers, where floats lie there."""

_thread = threading.local()
kept = []
"""All memory there ever was: a graph, or work that is done late, may write where nobody looks any more."""


class Memory:
    """The memory of an array: where it lies."""

    def __init__(self, ptr, size, device_id):
        self.ptr, self.size, self.device_id = ptr, size, device_id


class Block(Memory):
    """Memory of a pool; it goes back when nobody holds it.

    Args:
        pool: where it goes.
        stream: in whose arena it belongs.
        content: the bytes.
    """

    def __init__(self, pool, stream, content):
        super().__init__(content.ctypes.data, content.size, devices.current())
        self.content = content
        weakref.finalize(
            self, pool.take_back, (self.device_id, stream.ptr, content.size), stream, content
        ).atexit = False


class MemoryPool:
    """What gives memory, and keeps what is given back: for each GPU and each stream apart."""

    def __init__(self, allocator=None):
        self.limit, self.arenas, self.used = 0, {}, 0

    def malloc(self, size):
        return MemoryPointer(self.block(size))

    def block(self, size):
        """Memory of at least so many bytes: what was freed last, if it is as large."""
        stream, size = streams.get_current_stream(), max(1, -(-size // ROUNDED)) * ROUNDED
        free = self.arenas.setdefault((devices.current(), stream.ptr, size), [])
        self.used += size
        if free:
            content = free.pop()
            streams.submit(lambda: content.fill(POISON), stream)  # its new owner may write from here on
            return Block(self, stream, content)
        content = np.full(size, POISON, np.uint8)
        kept.append(content)
        return Block(self, stream, content)

    def take_back(self, arena, stream, content):
        """Nobody holds a block any more. Work that waits may still read it, and rightly so, until it is handed out."""
        self.used -= content.size
        if not streams.Lateness.on and stream._nodes is None:
            content.fill(POISON)
        self.arenas.setdefault(arena, []).append(content)

    def used_bytes(self):
        return self.used

    def free_bytes(self):
        return sum(size * len(free) for (_, _, size), free in self.arenas.items())

    def total_bytes(self):
        return self.used_bytes() + self.free_bytes()

    def n_free_blocks(self):
        return sum(map(len, self.arenas.values()))

    def free_all_blocks(self, stream=None):
        self.arenas.clear()

    def get_limit(self):
        return self.limit

    def set_limit(self, size=None, fraction=None):
        self.limit = size or 0


class MemoryPointer:
    """A place in memory."""

    def __init__(self, mem, offset=0):
        self.mem, self.ptr, self.device_id = mem, mem.ptr + offset, mem.device_id

    def __int__(self):
        return self.ptr

    @property
    def device(self):
        return devices.Device(self.device_id)

    def memset_async(self, value, size, stream=None):
        memory = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(self.ptr))
        streams.submit(lambda: memory.fill(value), stream)


class PinnedMemory:
    """Memory of the host that a GPU reads and writes, too."""

    def size(self):
        return len(self)


def alloc_pinned_memory(size):
    """New memory of that kind, which NumPy reads as a buffer."""
    kind = type("PinnedMemoryPointer", (PinnedMemory, ctypes.c_uint8 * size), {"ptr": property(ctypes.addressof)})
    return kind()


def is_pinned(array):
    """Whether an array of NumPy lies in such memory."""
    while array is not None and not isinstance(array, PinnedMemory):
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
    return array is not None


default_pool = MemoryPool()


def forget():
    """Everything anew."""
    default_pool.__init__()
    kept.clear()


def alloc(size):
    """New memory on the current GPU, from whoever gives it in this thread."""
    return getattr(_thread, "allocator", default_pool.malloc)(size)


@contextmanager
def using_allocator(allocator=None):
    """Let something else give the memory of new arrays in this thread; none means memory that is no pool's."""
    before = getattr(_thread, "allocator", default_pool.malloc)
    _thread.allocator = allocator or (lambda size: MemoryPool().malloc(size))
    try:
        yield
    finally:
        _thread.allocator = before
