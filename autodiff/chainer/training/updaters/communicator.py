"""What the processes of data parallel training, one for each GPU, tell each other through NCCL."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autodiff.backends import gpu
from autodiff.trace.source import at_user_line

TYPES = {
    "float16": "NCCL_FLOAT16", "float32": "NCCL_FLOAT32", "float64": "NCCL_FLOAT64", "bfloat16": "NCCL_BFLOAT16",
    "int8": "NCCL_INT8", "uint8": "NCCL_UINT8", "int32": "NCCL_INT32", "uint32": "NCCL_UINT32",
    "int64": "NCCL_INT64", "uint64": "NCCL_UINT64",
}  # fmt: skip
"""What NCCL calls dtypes."""


class Communicator:
    """One process of a group of processes, each with a GPU of its own. The process of rank 0 is the first one.

    All processes call the same methods in the same order, with arrays of the same shapes and dtypes on the current GPU.

    Args:
        size: how many processes there are; the constructor waits for all of them.
        identity: what :func:`new_identity` of the first one returned.
        rank: the number of this one.

    Raises:
        RuntimeError: if there is no NCCL.
    """

    def __init__(self, size: int, identity: Any, rank: int) -> None:
        self.nccl = gpu.require_nccl()
        self.size, self.rank = size, rank
        self.group = self.nccl.NcclCommunicator(size, identity, rank)

    def broadcast(self, arrays: Iterable[Any]) -> None:
        """Copy the first process's arrays into everybody's."""

        def send(array: Any, kind: int, stream: int) -> None:
            self.group.bcast(array.data.ptr, array.size, kind, 0, stream)

        self.together(send, arrays)

    def average(self, arrays: Iterable[Any]) -> None:
        """Put the means of all processes' arrays into the first one's; those of the others hold nothing of use."""
        arrays = list(arrays)

        def add(array: Any, kind: int, stream: int) -> None:
            self.group.reduce(array.data.ptr, array.data.ptr, array.size, kind, self.nccl.NCCL_SUM, 0, stream)

        self.together(add, arrays)
        if self.rank == 0 and self.size > 1:
            for array in arrays:
                array /= self.size

    def together(self, call: Callable[[Any, int, int], None], arrays: Iterable[Any]) -> None:
        """Call a function with each array, what NCCL calls its dtype, and the current stream; NCCL runs all as one."""
        cupy = gpu.require()
        stream = cupy.cuda.get_current_stream().ptr
        pairs = [(array, cupy.ascontiguousarray(array)) for array in arrays if array.size]
        self.nccl.groupStart()
        for _, packed in pairs:
            call(packed, self.kind(packed.dtype), stream)
        self.nccl.groupEnd()
        for array, packed in pairs:
            if packed is not array:
                array[...] = packed

    def kind(self, dtype: Any) -> int:
        """What NCCL calls a dtype.

        Raises:
            TypeError: if it knows none such.
        """
        kind: int | None = getattr(self.nccl, TYPES.get(dtype.name, ""), None)
        if kind is None:
            raise TypeError(
                f"NCCL passes no arrays of dtype {dtype} between GPUs{at_user_line()}; cast the parameter to a "
                "floating-point dtype"
            )
        return kind

    def close(self) -> None:
        """Leave the group."""
        self.group.destroy()


def new_identity() -> Any:
    """What tells a new group from others; the first process makes it and gives it to all."""
    return gpu.require_nccl().get_unique_id()
