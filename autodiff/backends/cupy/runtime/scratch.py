"""Memory that kernels work in: made once for each stream, and handed from call to call.

What runs in one stream runs in its order, so the next call in it may use the same memory. Two calls at once have
different ones all the same, since a kernel may take several launches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backends.cupy.runtime.launching import Scratch
from autodiff.backends.cupy.runtime.states import StatusWords
from autodiff.backends.gpu import require
from autodiff.trace.tape import Equation

Arrays = tuple[Any, ...]


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
        """New memory: counters are parts of one array of zeros; all states come last."""
        cupy = require()
        size = sum(own.size for own in self.wanted if own.role == "counter")
        counters, begun = cupy.zeros(size, np.uint32) if size else (), 0
        states = StatusWords(self.watched, int(cupy.cuda.runtime.getDevice())) if self.watched else None
        places = iter(states.places() if states is not None else ())
        found: list[Any] = []
        for own in self.wanted:
            if own.role == "partial":
                found.append(cupy.empty(own.size, own.dtype))
            elif own.role == "status":
                found.append(next(places))
            else:
                found.append(counters[begun : begun + own.size])
                begun += own.size
        return (*found, states)

    def take(self, stream: int) -> Arrays:
        """Memory for a call in a stream; all states come last.

        Raises:
            IndexRangeError: if a call before has left a mark there.
        """
        try:
            own = self.idle[stream].pop()
        except (KeyError, IndexError):
            return self.make()
        if own[-1] is not None:
            own[-1].check(late=True)
        return own

    def give(self, stream: int, own: Arrays) -> None:
        """Take it back."""
        self.idle.setdefault(stream, []).append(own)

    def lend(self, stream: int, own: Arrays) -> None:
        """Leave it to a graph of the user's, which may be launched at any time."""
        self.lent.append(own)
