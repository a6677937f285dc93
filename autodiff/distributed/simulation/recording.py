"""Steps as they were, of all processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from autodiff.distributed.communicator import Communicator, world
from autodiff.distributed.errors import MismatchError
from autodiff.distributed.events import record_events
from autodiff.distributed.simulation.steps import Step, step_of
from autodiff.trace.source import at_user_line


def record_steps(
    step: Callable[[], Any], times: int = 5, warmup: int = 2, comm: Communicator | None = None
) -> list[Step]:
    """The steps of all processes, recorded while they run. All processes have to call it.

    Args:
        step: runs one step, the same in all processes.
        times: how many steps are recorded.
        warmup: how many are run before, in which programs are compiled.
        comm: who takes part; all processes if None.

    Returns:
        so many steps of each process, in all processes.

    Raises:
        ValueError: if there is one process only, which sends nothing.
        MismatchError: if steps differ in their operations.

    >>> record_steps(lambda: None)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: record_steps needs two processes or more ...: mpiexec -n 2 python ...; one process sends nothing
    """
    comm = world() if comm is None else comm
    if comm.size == 1:
        raise ValueError(
            f"record_steps needs two processes or more{at_user_line()}: mpiexec -n 2 python ...; one process sends "
            "nothing"
        )
    for _ in range(warmup):
        step()
    found = []
    for _ in range(times):
        comm.gather_objects(None)  # all begin at once
        begun = time.perf_counter()
        with record_events() as events:
            step()
        found.append(step_of(events, begun, time.perf_counter(), comm.size))
    everywhere = [own for steps in comm.gather_objects(found) for own in steps]
    if len({own.kind for own in everywhere}) > 1:
        raise MismatchError(f"record_steps: the steps do not do the same operations{at_user_line()}")
    return everywhere
