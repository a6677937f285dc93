"""Gradients that leave while the backward pass goes on.

A parameter's gradient is complete when all operations that use it have been read backwards. Complete ones are put into
buckets, the last parameter first, and each bucket is summed over all processes by messages that nobody waits for: the
reader asks after each operation how far they are. What is added to what does not depend on buckets, and so neither do
the bits of the sums.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from autodiff.distributed.communicator import Communicator
from autodiff.distributed.events import WAIT, Event, note
from autodiff.distributed.messages import Call, Steps, agreement, wait
from autodiff.distributed.packing import packed, scaled, unpacked
from autodiff.distributed.sums import summing
from autodiff.ops.relative import absolute
from autodiff.trace.live import Entry
from autodiff.trace.recording import innermost_body
from autodiff.trace.source import user_line
from autodiff.transforms.gradient import Linearization, own
from autodiff.transforms.masking import plus
from autodiff.transforms.reverse import Begin, Fetch, Pull, Visit, pulled, read_backwards, settle


class Pipeline:
    """Exchanges made one after the other, while this process computes.

    Args:
        comm: the processes.
        call: what they do, for error texts.
    """

    def __init__(self, comm: Communicator, call: Call) -> None:
        self.comm, self.call = comm, call
        self.waiting: deque[tuple[Steps, Callable[[Any], None]]] = deque()
        self.request: Any = None

    def put(self, steps: Steps, done: Callable[[Any], None]) -> None:
        """Do an exchange after those before; ``done`` gets its result."""
        self.waiting.append((steps, done))
        UNDER_WAY.add(self)
        self.poll()

    def poll(self) -> None:
        """Go on with what has arrived."""
        while self.waiting and (self.request is None or self.request.Test()):
            self.step()

    def step(self) -> None:
        """The next step of the first exchange."""
        steps, done = self.waiting[0]
        try:
            self.request = next(steps)
        except StopIteration as end:
            self.request = None
            self.waiting.popleft()
            if not self.waiting:
                UNDER_WAY.discard(self)
            done(end.value)

    def finish(self) -> None:
        """Wait for all."""
        while self.waiting:
            if self.request is not None:
                wait(self.comm, self.request, self.call)
            self.step()


UNDER_WAY: set[Pipeline] = set()
"""Those with messages that have not come. Where an error ends a backward pass nobody else knows them any more, and MPI
still reads and writes their memory."""


class Buckets:
    """The sums over all processes of the leaves of a gradient, each of which is put in when it is there.

    Args:
        leaves: arrays like the leaves.
        dtype: in which they are sent; None for their own.
        limit: a bucket with so many bytes is full.
        comm: the processes.
    """

    def __init__(self, leaves: Sequence[Any], dtype: Any, limit: int, comm: Communicator) -> None:
        self.like = [(leaf.shape, leaf.dtype) for leaf in leaves]
        self.sent = [sent_dtype(leaf, dtype) for leaf in leaves]
        self.places = self.groups(limit)
        self.found: list[Any] = [None] * len(leaves)
        self.sums: list[Any] = [None] * len(leaves)
        self.comm, self.next = comm, 0
        self.lines = comm.aside()
        call = Call("gradients in buckets", rest=(("leaves", str(list(zip(self.like, self.sent)))),), line=user_line())
        self.pipeline = Pipeline(comm, call)
        self.pipeline.put(agreement(comm, call), lambda _: None)

    def groups(self, limit: int) -> list[list[int]]:
        """The leaves of each bucket, of one dtype, from the last to the first."""
        groups: list[list[int]] = []
        room, before = 0, None
        for place in reversed(range(len(self.like))):
            shape, _ = self.like[place]
            size = int(np.prod(shape)) * self.sent[place].itemsize
            if room < size or before != self.sent[place]:
                groups.append([])
                room, before = limit, self.sent[place]
            groups[-1].append(place)
            room -= size
        return groups

    def put(self, place: int, leaf: Any) -> None:
        """Put a leaf in; full buckets leave, in their order."""
        self.found[place] = leaf
        while self.next < len(self.places) and all(self.found[k] is not None for k in self.places[self.next]):
            places = self.places[self.next]
            self.next += 1
            self.send(places, packed([self.found[k] for k in places], self.sent[places[0]]))

    def send(self, places: Sequence[int], flat: np.ndarray[Any, Any]) -> None:
        """Sum a bucket over all processes, in its turn."""
        begun, met = perf_counter(), []

        def steps() -> Steps:
            met.append(perf_counter())
            return (yield from summing(self.lines, flat))

        def done(total: Any) -> None:
            note(Event("all_reduce", flat.nbytes, self.comm.size, begun, met[0], perf_counter(), overlapped=True))
            self.take(places, total)

        self.pipeline.put(steps(), done)

    def take(self, places: Sequence[int], total: Any) -> None:
        """Take a sum apart into its leaves."""
        for place, found in zip(places, unpacked(total, [self.like[k] for k in places]), strict=True):
            self.sums[place] = found

    def finish(self) -> list[Any]:
        """All sums."""
        begun = perf_counter()
        self.pipeline.finish()
        note(Event(WAIT, 0, self.comm.size, begun, begun, perf_counter()))
        return self.sums


def sent_dtype(leaf: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype in which a leaf is sent: numbers, and what is no floating-point array, as they are."""
    sent: np.dtype[Any] = np.dtype(dtype) if dtype is not None and leaf.ndim and leaf.dtype.kind == "f" else leaf.dtype
    return sent


class OverlappedPull:
    """Reads a tape backwards, and sums the cotangents of its inputs over all processes on the way.

    Args:
        comm: the processes.
        weight: by which this process's cotangents are multiplied.
        dtype: in which they are sent; None for their own.
        limit: a bucket with so many bytes is full.

    Attributes:
        done: whether it has summed. It does not where the function itself sends messages, which have their turn, or
            inputs are traced or are numbers.
    """

    def __init__(self, comm: Communicator, weight: float, dtype: Any, limit: int) -> None:
        self.comm, self.weight, self.dtype, self.limit = comm, weight, dtype, limit
        self.done = False

    def __call__(self, at: Linearization, cotangents: Sequence[Any]) -> list[Any]:
        values = [*at.leaves, *(value for value, _ in at.outs)]
        if at.turns or innermost_body() is not None or not all(isinstance(v, (np.ndarray, np.generic)) for v in values):
            return at.pull(cotangents)
        self.done = True
        buckets = Buckets(at.leaves, self.dtype, self.limit, self.comm)
        places = {entry: place for place, entry in enumerate(at.entries)}

        def complete(entry: Entry, ct: Any) -> None:
            place = places[entry]
            buckets.put(place, scaled(own(ct, entry.spec, at.leaves[place]), self.weight))

        def read(seeds: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
            return read_with(seeds, complete, buckets.pipeline.poll)

        for place, leaf in enumerate(at.pull(cotangents, read)):
            if buckets.found[place] is None:
                buckets.put(place, scaled(leaf, self.weight))
        return buckets.finish()


def read_with(
    seeds: Sequence[tuple[Any, Any]],
    complete: Callable[[Any, Any], None],
    between: Callable[[], None],
    fetch: Fetch | None = None,
    visit: Visit | None = None,
    pull_one: Pull | None = None,
    begin: Begin | None = None,
) -> dict[Any, Any]:
    """Read backwards from seeds; as soon as the cotangent of an input is complete somebody gets it.

    Args:
        seeds: pairs of an entry and its cotangent.
        complete: called with an input and its cotangent.
        between: called after each operation.
        fetch: as in :func:`~autodiff.transforms.reverse.read_backwards`.
        visit: as there.
        pull_one: what is ``pull`` there.
        begin: as there.

    Returns:
        the cotangents of all inputs that the seeds depend on.
    """
    open_uses = uses(entry for entry, _ in seeds)
    found: dict[Any, Any] = {}
    pull_one = pull_one or pulled

    def pull(node: Any, g: Any, residuals: Any) -> Any:
        cts = pull_one(node, g, residuals)
        single = node.link.arity == 1
        operands = (node.operands,) if single else node.operands
        kept = []
        for operand, ct in zip(operands, (cts,) if single else cts, strict=True):
            if operand.link is not None:
                kept.append(ct)
                continue
            kept.append(None)
            if ct is not None:
                ct = absolute(settle(ct, operand.spec, node.link))
                found[operand] = plus(found[operand], ct) if operand in found else ct
            open_uses[operand] -= 1
            if not open_uses[operand] and operand in found:
                complete(operand, found[operand])
        between()
        return kept[0] if single else tuple(kept)

    for entry, ct in read_backwards(seeds, fetch, visit, pull, begin).items():
        found[entry] = plus(found[entry], ct) if entry in found else ct
    return found


def uses(entries: Iterable[Any]) -> Counter[Any]:
    """How often each input is an operand of what some entries depend on, or is one of these."""
    waiting = list(dict.fromkeys(entries))
    seen = set(waiting)
    count = Counter(entry for entry in waiting if entry.link is None)
    while waiting:
        entry = waiting.pop()
        if entry.link is None:
            continue
        for operand in entry.operands if type(entry.operands) is tuple else (entry.operands,):
            if operand.link is None:
                count[operand] += 1
            elif operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    return count
