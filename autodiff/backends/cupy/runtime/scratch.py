"""Memory that kernels work in: made once for each stream, and handed from call to call.

What runs in one stream runs in its order, so the next call in it may use the same memory. Two calls at once have
different ones all the same, since a kernel may take several launches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backends.cupy.runtime.errors import out_of_range
from autodiff.backends.cupy.runtime.launching import Scratch
from autodiff.backends.gpu import require
from autodiff.backends.kernels.call import IndexRangeError
from autodiff.trace.tape import Equation

Arrays = tuple[Any, ...]

WORDS = {"counter": np.uint32, "status": np.int32}
"""The words that are zero before a kernel and, if all indices are in range, after it."""


class ScratchPool:
    """The memory of the kernels of a program.

    Args:
        wanted: what there is, in the order in which the program takes it.
        watched: for each word that becomes 1 where an index is out of range, the operation, if it is known.

    Attributes:
        idle: what no call uses, by the streams that it is used in.
        lent: what graphs of the user's work in.
    """

    def __init__(self, wanted: Sequence[Scratch], watched: Sequence[Equation | None]) -> None:
        self.wanted, self.watched = tuple(wanted), tuple(watched)
        self.idle: dict[int, list[Arrays]] = {}
        self.lent: list[Arrays] = []

    def make(self) -> Arrays:
        """New memory: all words are parts of two arrays, the last of which holds the states."""
        cupy = require()
        words = {role: cupy.zeros(self.size(role), dtype) for role, dtype in WORDS.items() if self.size(role)}
        begun = dict.fromkeys(WORDS, 0)
        found = []
        for own in self.wanted:
            if own.role == "partial":
                found.append(cupy.empty(own.size, own.dtype))
            else:
                start = begun[own.role]
                begun[own.role] += own.size
                found.append(words[own.role][start : start + own.size])
        return (*found, words.get("status"))

    def size(self, role: str) -> int:
        """How many words of a kind there are."""
        return sum(own.size for own in self.wanted if own.role == role)

    def take(self, stream: int) -> Arrays:
        """Memory for a call in a stream; the array of all states comes last."""
        try:
            return self.idle[stream].pop()
        except (KeyError, IndexError):
            return self.make()

    def give(self, stream: int, own: Arrays) -> None:
        """Take it back."""
        self.idle.setdefault(stream, []).append(own)

    def lend(self, stream: int, own: Arrays) -> None:
        """Leave it to a graph of the user's, which may be launched at any time."""
        self.lent.append(own)

    def check(self, own: Arrays) -> None:
        """Look whether all indices were in range, which waits for the kernels.

        Raises:
            IndexRangeError: naming the first operation that met one which was not. The words are zero again.
        """
        states = own[-1]
        if states is None:
            return
        for operation, state in zip(self.watched, states.get().tolist(), strict=True):
            if state:
                states.fill(0)
                raise IndexRangeError(out_of_range(operation))
