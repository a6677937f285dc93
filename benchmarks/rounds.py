"""Taking turns: every round gives each entrant one sample, so that a busy moment hits them all alike."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from benchmarks.measurement import Measurement
from benchmarks.reason import reason
from benchmarks.remote import RemoteError
from benchmarks.verify import WrongGradientError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.case import Case


class TakesTurns(Protocol):
    """An `Entrant` here or a `Remote` one."""

    name: str

    def prepare(self, case: Case) -> int | None:
        """Make the inputs; operations of one sample, None: not this case."""

    def verify(self) -> None:
        """Check the gradient."""

    def sample(self) -> tuple[float, float, bool]:
        """Seconds forward, seconds in total, interrupted or not."""

    def release(self) -> None:
        """Let go of the inputs."""


def measure(case: Case, entrants: Sequence[TakesTurns]) -> list[Measurement]:
    """Prepare and verify everybody, then go round; the first round only warms up.

    A subject that cannot run the program has its error in its measurement. Raises WrongGradientError for one
    that can, but computes something else.
    """
    measurements = {entrant.name: Measurement(entrant.name) for entrant in entrants}
    try:
        for entrant in entrants:
            with failures_into(measurements[entrant.name]):
                get_ready(entrant, case, measurements[entrant.name])
        for turn in range(case.rounds + 1):
            for entrant in entrants:
                take_turn(entrant, measurements[entrant.name], warming=turn == 0)
    finally:
        for entrant in entrants:
            with failures_into(measurements[entrant.name]):
                entrant.release()
    return [found for found in measurements.values() if found.takes_part]


def get_ready(entrant: TakesTurns, case: Case, into: Measurement) -> None:
    """Inputs made and gradient checked."""
    into.operations = entrant.prepare(case)
    if into.operations is not None:
        entrant.verify()


def take_turn(entrant: TakesTurns, into: Measurement, warming: bool) -> None:
    """One sample, kept unless it only warms up."""
    if into.operations is None or into.failure is not None:
        return
    with failures_into(into):
        forward, total, interrupted = entrant.sample()
        if not warming:
            into.interrupted_rounds += interrupted
            into.forward_rounds.append(forward / into.operations * 1e6)
            into.total_rounds.append(total / into.operations * 1e6)


@contextmanager
def failures_into(measurement: Measurement) -> Iterator[None]:
    """What a library raises belongs to its row of the table; a wrong gradient is everybody's business."""
    try:
        yield
    except WrongGradientError:
        raise
    except RemoteError as error:
        measurement.failure = str(error)
    except Exception as error:
        measurement.failure = reason(error)
