"""What one process does in a step: computing, and collective operations in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autodiff.distributed.events import Event


class Part(NamedTuple):
    """Some computing, and a collective operation after it.

    Attributes:
        compute: seconds.
        name: of the operation; ``"wait"`` for the end of all that were started before and not waited for; empty at the
            end of a step.
        nbytes: of the array that the process gives.
        overlapped: whether it is started only, and computing goes on.
    """

    compute: float
    name: str = ""
    nbytes: int = 0
    overlapped: bool = False


class Step(NamedTuple):
    """A step of one process.

    Attributes:
        parts: in their order.
        size: with how many processes it was recorded, each of which had an equal share of the batch.

    >>> step = Step((Part(0.25, "all_reduce", 8000), Part(0.5)), size=2)
    >>> step.compute, step.kind
    (0.75, (('all_reduce', 8000, False), ('', 0, False)))
    """

    parts: tuple[Part, ...]
    size: int

    @property
    def compute(self) -> float:
        """Seconds of computing."""
        return sum(part.compute for part in self.parts)

    @property
    def kind(self) -> tuple[tuple[str, int, bool], ...]:
        """What steps have in common that all processes do together."""
        return tuple((part.name, part.nbytes, part.overlapped) for part in self.parts)


def step_of(events: Sequence[Event], begun: float, done: float, size: int) -> Step:
    """The step that began and ended at some times, of its events.

    What a process did to move buckets along, while it computed, is no computing: it is taken from the time before it
    waits for them.

    >>> step_of([Event("all_reduce", 8000, 2, begun=1.25, met=1.5, done=2.0)], begun=1.0, done=2.5, size=2).parts[1]
    Part(compute=0.5, name='', nbytes=0, overlapped=False)
    """
    parts: list[Part] = []
    last = begun
    for event in sorted(events, key=lambda event: event.begun):
        parts.append(Part(event.begun - last, event.name, event.nbytes, event.overlapped))
        last = event.begun if event.overlapped else event.done
        place, moving = len(parts) - 1, event.moving
        while moving > 0 and place >= 0 and (parts[place].overlapped or parts[place].name == event.name):
            taken = min(moving, parts[place].compute)
            parts[place] = parts[place]._replace(compute=parts[place].compute - taken)
            place, moving = place - 1, moving - taken
    return Step((*parts, Part(done - last)), size)
