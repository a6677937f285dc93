"""When this process met the others: the collective operations of a program, one by one, with their times."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Event(NamedTuple):
    """A collective operation that was done.

    Attributes:
        name: of the operation.
        nbytes: of the array that this process gave.
        size: how many processes took part.
        begun: when this process called it, in seconds of :func:`time.perf_counter`.
        met: when all processes had said what they are about to do: until then this one waited for them. A small array
            is there, too. Of a bucket: when its turn came.
        done: when the result was there.
        overlapped: whether it is a bucket of gradients, that left while the backward pass went on. ``"wait"``, of no
            bytes, is then the name of the event in which the process waited for all of them.
        moving: of ``"wait"``: the seconds before it in which this process did not compute, but moved buckets along.

    >>> event = Event("all_reduce", nbytes=8000, size=4, begun=1.0, met=1.5, done=1.75)
    >>> event.met - event.begun, event.done - event.met  # seconds of waiting, and of sending
    (0.5, 0.25)
    """

    name: str
    nbytes: int
    size: int
    begun: float
    met: float
    done: float
    overlapped: bool = False
    moving: float = 0.0


WAIT = "wait"
"""The name of waiting for buckets."""

RECORDS: list[list[Event]] = []
"""Those who take note at present."""


def note(event: Event) -> None:
    """Let everybody know who takes note."""
    for record in RECORDS:
        record.append(event)


@contextmanager
def record_events() -> Iterator[list[Event]]:
    """A list of all collective operations of this process inside of a ``with`` block, with their times.

    Each stands where it was done.

    >>> from autodiff import distributed
    >>> with record_events() as events:
    ...     total = distributed.all_reduce(1.0)
    >>> len(events)  # one process sends nothing
    0
    """
    record: list[Event] = []
    RECORDS.append(record)
    try:
        yield record
    finally:
        RECORDS[:] = [other for other in RECORDS if other is not record]
