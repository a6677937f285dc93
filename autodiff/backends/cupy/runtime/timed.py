"""Programs on GPUs while a profile is open: each statement is waited for.

So the table tells how long each takes by itself, launch and all; together they take longer than without a profile,
where the GPU works on one while Python launches the next.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from autodiff.backends.choice import Backend
from autodiff.backends.cupy.runtime.calls import Call
from autodiff.backends.cupy.runtime.device import on_device
from autodiff.backends.cupy.straight import Building, DeviceStraight
from autodiff.backends.gpu import require
from autodiff.backends.reports.counts import Count
from autodiff.backends.reports.entry import Entry
from autodiff.backends.reports.plan import Plan, Statement, plan
from autodiff.backends.reports.profile import begin, note, running
from autodiff.backends.reports.timed import Watched
from autodiff.backends.straight import Run, Scope
from autodiff.trace.tape import Tape


def clock() -> int:
    """The time when everything that was launched in the current stream is done, in nanoseconds."""
    require().cuda.get_current_stream().synchronize()
    return perf_counter_ns()


class TimedOnDevice:
    """The function of a program on one GPU that notes in all open profiles what it does.

    Args:
        tape: the program, without constants.
        backend: that runs it.
        device: the number of the GPU.
        name: of the program.
        fast_math: whether division, exp and tanh of float32 may be approximate.
    """

    def __init__(self, tape: Tape, backend: Backend, device: int, name: str, fast_math: bool = False) -> None:
        self.whole = Entry(name, "program", name, "", Count())
        self.device = device
        self.inner = WatchedOnDevice(plan(tape, backend), backend, name, fast_math=fast_math)
        with on_device(device):
            self.inner.building.load(device)

    def run(self, *values: Any) -> tuple[Any, ...]:
        """The outputs."""
        begin()
        depth = len(running.children)
        with on_device(self.device), Call(self.inner.scratch) as call:
            start = clock()
            try:
                outs = self.inner.quiet((*values, *(call.own() if self.inner.wanted else ())))
                call.check()
                return outs
            except Exception as error:
                raise self.inner.explained(error) from None
            finally:
                end = perf_counter_ns()
                del running.children[depth:]  # of statements that raised
                note(self.whole, start, end)


class WatchedOnDevice(Watched, DeviceStraight):
    """A straight-line function on a GPU with the clock read around each operation.

    Args:
        found: the statements.
        backend: that runs them.
        name: of the program.
        building: that of the program around, for bodies.
        fast_math: whether division, exp and tanh of float32 may be approximate.
    """

    def __init__(
        self, found: Plan, backend: Backend, name: str, building: Building | None = None, fast_math: bool = False
    ) -> None:
        self.found, self.name = found, name
        self.statements = {id(statement.equation): statement for statement in found.statements}
        DeviceStraight.__init__(self, found.tape, backend, building=building, fast_math=fast_math)

    def executed(self, scope: Scope) -> Run:
        run = super().executed(scope)
        scope["_clock"] = clock
        return run

    def loop(self, statement: Statement) -> Any:
        primitive: Any = statement.equation.primitive

        def body(tape: Tape) -> Run:
            return WatchedOnDevice(plan(tape, self.backend), self.backend, self.name, self.building).run

        return primitive.compiled(body, **dict(statement.equation.params))
