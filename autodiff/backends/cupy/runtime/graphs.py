"""A program as a CUDA graph: captured once, and launched as one.

A graph reads and writes where the program did when it was captured. So it has memory of its own, from a pool that
nobody else uses: for what is in between, for results, which are copied for each caller, and for arguments that lie
elsewhere in each call, which are copied into it. Others are read where they lie: the graph is used only if they are
still there. Donated arguments are read there and written to: their results are new arrays on the same memory, and
nothing moves. Where a loop begins anew with others, they are copied there once, if nobody holds the results of the loop
before any more.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any

from autodiff.backends.cupy.libraries.blas import capturable, workspace
from autodiff.backends.cupy.runtime.calls import Call
from autodiff.backends.cupy.runtime.donating import Partners
from autodiff.backends.cupy.straight import DeviceStraight
from autodiff.backends.gpu import is_gpu_array, require

Values = Sequence[Any]


def place_of(value: Any) -> tuple[Any, Any]:
    """Where an array lies, and in which order; of a number what it is."""
    return (value.data.ptr, value.strides) if is_gpu_array(value) else (type(value), value)


def holders(array: Any) -> tuple[int, int]:
    """How many hold an array's place in memory, and how many its memory: other arrays there are among them."""
    return sys.getrefcount(array.data), sys.getrefcount(array.data.mem)


class Captured:
    """A captured program.

    Args:
        straight: the program, loaded on the current GPU.
        values: the arguments.
        moving: which of them are copied into the graph in each call.
        partners: which results lie in the memory of donated arguments.

    Attributes:
        fixed: the other arguments: where arrays lie, and numbers.
        inside: the arguments as the graph reads them.
        replays: how often it was launched.
        alone: the `holders` of an array whose memory nobody else holds.

    Raises:
        Exception: whatever the program raises, or CUDA where it cannot capture it. Nothing is left behind.
    """

    def __init__(
        self, straight: DeviceStraight, values: Values, moving: Collection[int], partners: Partners | None = None
    ) -> None:
        cupy = require()
        self.straight, self.moving, self.partners = straight, tuple(sorted(moving)), partners or Partners()
        self.copied = self.partners.copied(straight.tape)
        self.donated = tuple(sorted(self.partners.leaves.values()))
        self.replays, self.alone = 0, holders(cupy.empty(1, "uint8"))
        self.fixed = self.key(values)
        self.others = self.key(values, self.donated)
        self.lock = threading.Lock()
        self.pool = cupy.cuda.MemoryPool()
        self.stream = cupy.cuda.Stream(non_blocking=True)
        current = cupy.cuda.get_current_stream()
        self.stream.wait_event(current.record())
        self.work = workspace(cupy, cupy.cuda.runtime.getDevice(), int(current.ptr)) if straight.products else None
        with cupy.cuda.using_allocator(self.pool.malloc), self.stream:
            self.inside = [value.copy() if k in self.moving else value for k, value in enumerate(values)]
            self.call = Call(straight.scratch, kept=True)
            with self.call, capturable(self.stream, self.work):
                self.rehearse()
                self.stream.synchronize()
                self.call.check(late=True)
                self.graph, self.outs = self.captured()

    def rehearse(self) -> None:
        """Run it once, so that whatever is loaded or made once is so, on copies of what it would write to."""
        self.steps([value.copy() if k in self.donated else value for k, value in enumerate(self.inside)])

    def steps(self, values: Values) -> tuple[Any, ...]:
        """The program, operation by operation."""
        own = self.call.own() if self.straight.wanted else ()
        outs = self.straight.run(*values, *own)
        for place, leaf in self.copied.items():
            values[leaf][...] = outs[place]
        return outs

    def captured(self) -> tuple[Any, tuple[Any, ...]]:
        """The graph, and the results in its memory."""
        self.stream.begin_capture()
        try:
            outs = self.steps(self.inside)
        except BaseException:
            self.abandon()
            raise
        return self.stream.end_capture(), outs

    def abandon(self) -> None:
        """End a capture that failed; CUDA may say once more that it did."""
        try:
            self.stream.end_capture()
        except require().cuda.runtime.CUDARuntimeError:
            return

    def key(self, values: Values, but: Collection[int] = ()) -> tuple[Any, ...]:
        """What must be as it was captured, but for some arguments."""
        return tuple([place_of(value) for k, value in enumerate(values) if k not in self.moving and k not in but])

    def takes(self, values: Values) -> bool:
        """Whether donated arguments that lie elsewhere may be copied to where the graph reads them.

        All other arguments must lie where they did, and nobody may hold results that lie there.
        """
        if not self.donated or self.key(values, self.donated) != self.others:
            return False
        return all(holders(self.inside[leaf]) == self.alone for leaf in self.donated)

    def run(
        self, values: Values, again: Callable[[Values], tuple[Any, ...]], waits: bool = False, elsewhere: bool = False
    ) -> tuple[Any, ...]:
        """The results in memory of their own.

        Args:
            values: the arguments; those that do not move are the ones of the key.
            again: what runs the program otherwise, while another thread uses the graph.
            waits: whether to wait to see whether indices are in range; otherwise what replays before have left is
                looked at.
            elsewhere: whether donated arguments lie elsewhere, and are copied to where the graph reads them.

        Raises:
            IndexRangeError: if an index was not.
        """
        if not self.lock.acquire(blocking=False):
            return again(values)
        try:
            if elsewhere:
                if not self.takes(values):  # another thread was faster
                    return again(values)
                values = self.copied_in(values)
            for k in self.moving:
                self.inside[k][...] = values[k]
            self.call.check(late=True)
            self.graph.launch()
            self.replays += 1
            if waits:
                self.call.check()
            return tuple([self.result(k, values) for k in range(len(self.outs))])
        finally:
            self.lock.release()

    def copied_in(self, values: Values) -> Values:
        """The arguments, the donated ones where the graph reads and writes them."""
        found = list(values)
        for leaf in self.donated:
            self.inside[leaf][...] = values[leaf]
            found[leaf] = self.inside[leaf]
        return found

    def result(self, k: int, values: Values) -> Any:
        """A result: an argument itself, a number, what lies in a donated one, or a copy of what the graph wrote."""
        leaf = self.partners.leaves.get(k)
        if leaf is not None:
            given = values[leaf]
            return require().ndarray(given.shape, given.dtype, given.data)
        out = self.straight.tape.outputs[k]
        if isinstance(out, int) and out < len(values):
            return values[out]
        found = self.outs[k]
        return found.copy() if is_gpu_array(found) else found
