"""NCCL for the stand-in's GPUs: the processes of a group are threads of one process."""

import ctypes
import itertools
import sys
import threading
import types

import numpy as np
import pytest

from tests.standin import streams

KINDS = {"FLOAT16": np.float16, "FLOAT32": np.float32, "FLOAT64": np.float64, "INT32": np.int32, "INT64": np.int64}
DTYPES = dict(enumerate(KINDS.values()))
SUM = 0
IDENTITIES = itertools.count()


class Group:
    """What the members of a group share."""

    def __init__(self, size):
        self.size, self.parts = size, {}
        self.barrier = threading.Barrier(size, timeout=120)


class NcclCommunicator:
    """A member of a group."""

    groups: dict = {}  # noqa: RUF012 - by their identities
    changing = threading.Lock()

    def __init__(self, size, identity, rank):
        with self.changing:
            self.group = self.groups.setdefault(identity, Group(size))
        self.rank, self.open = rank, True
        self.group.barrier.wait()

    def exchanged(self, pointer, count, kind):
        """Everybody's memory, by rank, when the work before is done: NCCL waits for it in its stream."""
        streams.settle()
        memory = (ctypes.c_uint8 * (count * DTYPES[kind]().itemsize)).from_address(pointer)
        own = np.frombuffer(memory, DTYPES[kind])
        self.group.parts[self.rank] = own
        self.group.barrier.wait()
        found = {rank: part.copy() for rank, part in self.group.parts.items()}
        self.group.barrier.wait()
        return own, found

    def bcast(self, pointer, count, kind, root, stream):
        own, parts = self.exchanged(pointer, count, kind)
        own[...] = parts[root]

    def reduce(self, source, target, count, kind, operation, root, stream):
        assert (source, operation) == (target, SUM)
        own, parts = self.exchanged(source, count, kind)
        own[...] = sum(parts.values()) if self.rank == root else np.nan

    def destroy(self):
        assert self.open
        self.open = False


@pytest.fixture
def nccl(cupy, monkeypatch):
    """NCCL is there."""
    module = types.ModuleType("cupy.cuda.nccl")
    module.available, module.NCCL_SUM = True, SUM
    for number, name in enumerate(KINDS):
        setattr(module, f"NCCL_{name}", number)
    module.get_unique_id = lambda: (next(IDENTITIES),)
    module.groupStart = module.groupEnd = lambda: None
    module.NcclCommunicator = NcclCommunicator
    monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", module)
    monkeypatch.setattr(cupy.cuda, "nccl", module, raising=False)
    return module
