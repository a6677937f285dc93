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

from autodiff.distributed.calls import Call
from autodiff.distributed.communicator import Communicator
from autodiff.distributed.events import RECORDS, WAIT, Event, note
from autodiff.distributed.meetings import agreement
from autodiff.distributed.packing import packed, scaled, sent_dtype, unpacked, weighs_alike
from autodiff.distributed.sums import Weights, summing
from autodiff.distributed.waiting import ABANDONED, Requests, Steps, arrived, wait
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

    Attributes:
        moving: the seconds that going on with them has taken, while somebody takes note of events.
    """

    def __init__(self, comm: Communicator, call: Call) -> None:
        self.comm, self.call = comm, call
        self.waiting: deque[tuple[Steps, Callable[[Any], None]]] = deque()
        self.requests: Requests = ()
        self.moving = 0.0

    def put(self, steps: Steps, done: Callable[[Any], None]) -> None:
        """Do an exchange after those before; ``done`` gets its result."""
        self.waiting.append((steps, done))
        UNDER_WAY.add(self)
        self.poll()

    def poll(self) -> None:
        """Go on with what has arrived."""
        begun = perf_counter() if RECORDS else 0.0
        while self.waiting and arrived(self.requests):
            self.step()
        if RECORDS:
            self.moving += perf_counter() - begun

    def step(self) -> None:
        """The next step of the first exchange."""
        steps, done = self.waiting[0]
        try:
            self.requests = next(steps)
        except StopIteration as end:
            self.requests = ()
            self.waiting.popleft()
            if not self.waiting:
                UNDER_WAY.discard(self)
            done(end.value)

    def leave(self) -> None:
        """Wait for none: an error has ended what they are for. MPI still reads and writes their memory, so it stays."""
        self.comm.left = True
        if self in UNDER_WAY:
            UNDER_WAY.discard(self)
            ABANDONED.append([self])

    def finish(self) -> None:
        """Wait for all."""
        while self.waiting:
            wait(self.comm, self.requests, self.call)
            self.step()


UNDER_WAY: set[Pipeline] = set()
"""Those with messages that have not come."""


class Buckets:
    """The sums over all processes of the leaves of a gradient, each of which is put in when it is there.

    Args:
        leaves: arrays like the leaves.
        dtype: in which they are sent; None for their own.
        limit: a bucket with so many bytes is full.
        comm: the processes.
        weights: by which the leaves of each process are multiplied; empty for nothing.
    """

    def __init__(
        self, leaves: Sequence[Any], dtype: Any, limit: int, comm: Communicator, weights: Weights = ()
    ) -> None:
        self.like = [(leaf.shape, leaf.dtype) for leaf in leaves]
        self.sent = [sent_dtype(leaf, dtype) for leaf in leaves]
        self.places = self.groups(limit)
        self.found: list[Any] = [None] * len(leaves)
        self.sums: list[Any] = [None] * len(leaves)
        self.comm, self.weights, self.next = comm, weights, 0
        comm.aside()
        for before in [pipeline for pipeline in UNDER_WAY if pipeline.comm is comm]:
            before.finish()  # of another backward pass: messages of the two would be mixed up
        call = Call("gradients in buckets", rest=(("leaves", str(list(zip(self.like, self.sent)))),), line=user_line())
        self.pipeline = Pipeline(comm, call)
        self.pipeline.put(agreement(comm, call), lambda _: None)

    def __enter__(self) -> Buckets:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None:
            self.pipeline.leave()

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
            self.send(places)

    def send(self, places: Sequence[int]) -> None:
        """Sum a bucket over all processes, in its turn."""
        weights, leaves = self.weights, [self.found[k] for k in places]
        if weights and not all(weighs_alike(leaf, self.sent[places[0]]) for leaf in leaves):
            leaves, weights = [scaled(leaf, weights[self.comm.rank]) for leaf in leaves], ()
        flat = packed(leaves, self.sent[places[0]])
        begun, met = perf_counter(), []

        def steps() -> Steps:
            met.append(perf_counter())
            return (yield from summing(self.comm.aside(), flat, weights))

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
        begun, moving = perf_counter(), self.pipeline.moving
        self.pipeline.finish()
        note(Event(WAIT, 0, self.comm.size, begun, begun, perf_counter(), moving=moving))
        return self.sums


def bucket_size(bucket: int | str | None, comm: Communicator) -> int | None:
    """The bytes of a bucket; None where nothing is sent before all is there.

    Where all processes are on one machine they move the bytes themselves, in the time in which they would compute.
    """
    if bucket != "auto":
        return bucket  # type: ignore[return-value]
    return 1 << 22 if len({peer.host for peer in comm.peers}) > 1 else None


class OverlappedPull:
    """Reads a tape backwards, and sums the cotangents of its inputs over all processes on the way.

    Args:
        comm: the processes.
        weights: by which the cotangents of each process are multiplied.
        dtype: in which they are sent; None for their own.
        limit: a bucket with so many bytes is full.

    Attributes:
        done: whether it has summed. It does not where the function itself sends messages, which have their turn, or
            inputs are traced or are numbers.
    """

    def __init__(self, comm: Communicator, weights: Weights, dtype: Any, limit: int) -> None:
        self.comm, self.weights, self.dtype, self.limit = comm, weights, dtype, limit
        self.done = False

    def __call__(self, at: Linearization, cotangents: Sequence[Any]) -> list[Any]:
        values = [*at.leaves, *(value for value, _ in at.outs)]
        if at.turns or innermost_body() is not None or not all(isinstance(v, (np.ndarray, np.generic)) for v in values):
            return at.pull(cotangents)
        self.done = True
        places = {entry: place for place, entry in enumerate(at.entries)}
        with Buckets(at.leaves, self.dtype, self.limit, self.comm, self.weights) as buckets:

            def complete(entry: Entry, ct: Any) -> None:
                place = places[entry]
                buckets.put(place, own(ct, entry.spec, at.leaves[place]))

            def read(seeds: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
                return read_with(seeds, complete, buckets.pipeline.poll)

            for place, leaf in enumerate(at.pull(cotangents, read)):
                if buckets.found[place] is None:
                    buckets.put(place, leaf)
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
