"""One call of a program on a GPU: the memory that its kernels work in, and whether indices were in range."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.cupy.runtime.scratch import Arrays, ScratchPool
from autodiff.backends.gpu import require

Taken = dict[int, tuple[ScratchPool, Arrays]]

DEFAULT = 2
"""The largest of CUDA's numbers of default streams; others are addresses."""


class OfThread(threading.local):
    """What is going on in one thread.

    Attributes:
        taken: the scratch memory of the program that runs, and of the bodies of its loops that have run; None while
            none runs.
        stream: that it runs in.
    """

    taken: Taken | None = None
    stream = 0


running = OfThread()


class Call:
    """A call of a program, while it is entered.

    Where it ends in an error its scratch memory is dropped, whatever is in it.

    Args:
        scratch: that of the program.
        stream: that it runs in; the current one if None.
        kept: whether its scratch memory is not given back: it stays in ``taken``.

    Attributes:
        taken: all scratch memory that was taken.
    """

    def __init__(self, scratch: ScratchPool, stream: int | None = None, kept: bool = False) -> None:
        self.scratch, self.kept = scratch, kept
        self.stream = current_stream() if stream is None else stream
        self.taken: Taken = {}

    def __enter__(self) -> Call:
        self.before = running.taken, running.stream
        running.taken, running.stream = self.taken, self.stream
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        running.taken, running.stream = self.before
        if kind is None and not self.kept:
            captured = is_captured(self.stream)
            for scratch, own in self.taken.values():
                (scratch.lend if captured else scratch.give)(self.stream, own)

    def own(self) -> Sequence[Any]:
        """The scratch of the program, as its function takes them."""
        return taken_scratch(self.scratch)

    def check(self, late: bool = False) -> None:
        """Look whether kernels have left a mark that an index was out of range.

        Args:
            late: whether it would be of a call before; otherwise this one is waited for.

        Raises:
            IndexRangeError: if there is one.
        """
        states = [own[-1] for _, own in self.taken.values() if own[-1] is not None]
        if states and not late:
            require().cuda.get_current_stream().synchronize()
        for words in states:
            words.check(late)


def taken_scratch(scratch: ScratchPool) -> Sequence[Any]:
    """The scratch of a program or body in the call that runs in this thread."""
    assert running.taken is not None
    found = running.taken.get(id(scratch))
    if found is None:
        found = running.taken[id(scratch)] = scratch, scratch.take(running.stream)
    return found[1][:-1]


def of_body(steps: Callable[..., Any], scratch: ScratchPool) -> Callable[..., Any]:
    """The function of a body of a loop, with its scratch."""
    return lambda *values: steps(*values, *taken_scratch(scratch))


def is_captured(stream: int) -> bool:
    """Whether the user captures what is launched in the current stream; nobody captures the default ones."""
    return stream > DEFAULT and bool(require().cuda.get_current_stream().is_capturing())


def current_stream() -> int:
    """The stream that this thread launches in."""
    return int(require().cuda.get_current_stream().ptr)
