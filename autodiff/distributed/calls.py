"""What processes say that they are about to do, and how they find out that it is not the same."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from autodiff.distributed.errors import MismatchError
from autodiff.distributed.group import Group
from autodiff.trace.source import user_line

DIGEST = 16
"""Bytes that stand for a call. The last one is zero: a meeting says there whether somebody has left an operation."""


class Call(NamedTuple):
    """A collective operation as a process calls it.

    Attributes:
        name: of the operation.
        shape: of the array.
        dtype: of the array.
        rest: pairs of names and values of what else must be equal, such as the root.
        place: which leaf of which tree it is.
        line: the user's line, where it was recorded; otherwise it is the one that runs now.
    """

    name: str
    shape: tuple[int, ...] = ()
    dtype: Any = None
    rest: tuple[Any, ...] = ()
    place: str = ""
    line: str = ""

    def __str__(self) -> str:
        array = f" of {np.dtype(self.dtype).name}{list(self.shape)}" if self.dtype is not None else ""
        rest = "".join(f", {name}={value}" for name, value in self.rest)
        return f"{self.name}{array}{rest}{f', {self.place}' if self.place else ''}"

    def at_line(self) -> str:
        """The text of the call with its line."""
        line = self.line or ("" if self is END else user_line())
        return f"{self} ({line})" if line else str(self)

    def digest(self) -> bytes:
        """What stands for the call in a block."""
        text = f"{self._replace(line='')}|{self.line if Debugging.on else ''}"
        return blake2b(text.encode(), digest_size=DIGEST - 1).digest() + b"\0"


END = Call("the end of the program")


class Debugging:
    """Whether processes compare lines, too: ``AUTODIFF_DISTRIBUTED_DEBUG=1``."""

    on = os.environ.get("AUTODIFF_DISTRIBUTED_DEBUG", "0") == "1"


def debug(on: bool = True) -> None:
    """Let processes compare the lines of your program that call collective operations, not only what they call.

    Operations, shapes, dtypes, roots and names of leaves are compared always. ``AUTODIFF_DISTRIBUTED_DEBUG=1`` in the
    environment does the same. All processes have to agree on it.

    >>> debug(False)
    """
    Debugging.on = on


def disagree(comm: Group, call: Call) -> None:
    """Say who is about to do what: all processes know by now that they do not agree.

    Raises:
        MismatchError: unless this process has come to its end.
    """
    calls: dict[str, list[int]] = {}
    for rank, text in enumerate(comm.mpi.allgather(call.at_line())):
        calls.setdefault(text, []).append(rank)
    if call is END:
        return
    listed = "".join(f"\n  {ranks_text(ranks)}: {text}" for text, ranks in calls.items())
    raise MismatchError(
        f"the processes of {comm.name} do not agree on what comes next:{listed}\nAll of them have to call the same "
        "operations in the same order, with trees of the same structure, shapes and dtypes."
    )


def ranks_text(ranks: list[int]) -> str:
    """``process 1``, ``processes 0, 2``."""
    return f"process{'es' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
