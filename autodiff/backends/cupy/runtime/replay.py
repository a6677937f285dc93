"""When a program is captured: after some calls, once it is known which of its arguments lie elsewhere in each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.backends.cupy.runtime.calls import Call, current_stream, is_captured
from autodiff.backends.cupy.runtime.capturing import why_not_captured, why_not_worth
from autodiff.backends.cupy.runtime.donating import Partners, partners_of, usable
from autodiff.backends.cupy.runtime.graphs import Captured, place_of
from autodiff.backends.cupy.runtime.states import always_waits
from autodiff.backends.cupy.straight import DeviceStraight
from autodiff.backends.gpu import is_gpu_array, require

Values = Sequence[Any]

LOOKED_AT = 4
"""So many calls run before a program is captured."""

STREAMS, ATTEMPTS = 4, 3
"""A program is captured for so many streams, and so often for one."""


class Replay:
    """How a program runs on one GPU: operation by operation, and after some calls as a graph.

    Args:
        straight: the program, loaded on the GPU.
        device: the number of the GPU.
        donated: which inputs are given up.

    Attributes:
        partners: the results that may lie in their memory.
        reason: why it is not captured; empty if it was, or may be.
        waits: whether the next call waits to see whether indices are in range.
        always: whether all do.
    """

    def __init__(self, straight: DeviceStraight, device: int, donated: Sequence[int] = ()) -> None:
        self.straight, self.device = straight, device
        self.reason = why_not_captured(straight.tape)
        self.partners = Partners() if self.reason else partners_of(straight.tape, donated)
        self.looks: dict[int, Look] = {}
        self.waits = True
        self.always = always_waits()

    def run(self, values: Values) -> tuple[Any, ...]:
        """The outputs."""
        if self.reason:
            return self.steps(values)
        stream = current_stream()
        look = self.looks.get(stream)
        if look is None:
            if len(self.looks) >= STREAMS or is_captured(stream):
                return self.steps(values)
            look = self.looks[stream] = Look()
        graph, elsewhere = look.graph, False
        if graph is not None:
            elsewhere = graph.key(values) != graph.fixed
        if graph is None or is_captured(stream) or (elsewhere and not graph.takes(values)):
            graph, elsewhere = self.look_at(look, values, stream), False
        return self.steps(values) if graph is None else graph.run(values, self.steps, self.always, elsewhere)

    def steps(self, values: Values) -> tuple[Any, ...]:
        """The outputs, operation by operation."""
        straight = self.straight
        if not straight.building.works:
            return straight.quiet(values)
        with Call(straight.scratch) as call:
            outs = straight.quiet((*values, *(call.own() if straight.wanted else ())))
            if self.waits and not is_captured(call.stream):
                call.check()
                self.waits = self.always
        return outs

    def look_at(self, look: Look, values: Values, stream: int) -> Captured | None:
        """Take note of a call that no graph serves; the graph that serves it now, if there is one."""
        look.note(values)
        if look.calls < LOOKED_AT or is_captured(stream):
            return None
        if look.graph is not None:  # it may still run
            require().cuda.get_current_stream().synchronize()
            look.served(look.graph.replays)
            look.graph = None
        donated = list(self.partners.leaves.values())
        partners = self.partners.among(usable(values, donated)) if look.in_place else Partners()
        moving = look.moving.difference(partners.leaves.values())
        if look.numbers:
            self.reason = "a number among its arguments is another one in each call: pass it as an array on the GPU"
        elif look.attempts >= ATTEMPTS:
            self.reason = "its arguments lie elsewhere in each call"
        else:
            tape = self.straight.tape
            self.reason = why_not_worth(tape, [tape.inputs[k] for k in moving], partners.leaves)
        if self.reason:
            return None
        look.attempts += 1
        look.calls = 1
        try:
            look.graph = Captured(self.in_place(partners), values, moving, partners)
        except Exception as error:  # it runs as it did; what is wrong with the call itself is raised there
            self.reason = f"CUDA or CuPy cannot capture it: {type(error).__name__}: {error}"
        return look.graph

    def in_place(self, partners: Partners) -> DeviceStraight:
        """The program whose kernels write results to the memory of donated arguments, loaded on this GPU."""
        if not partners.direct:
            return self.straight
        straight, fast_math = self.straight, self.straight.building.module.fast_math
        found = DeviceStraight(straight.tape, straight.backend, into=partners.direct, fast_math=fast_math)
        found.building.load(self.device)
        return found


class Look:
    """What is known of the calls in one stream.

    Attributes:
        graph: the program as it was captured last.
        calls: how many were looked at since.
        moving: which arrays lay elsewhere than in the call before.
        numbers: whether a number was another one.
        attempts: how often it was captured, but for graphs that have served.
        in_place: whether donated arguments come again as results.
    """

    def __init__(self) -> None:
        self.graph: Captured | None = None
        self.calls = self.attempts = 0
        self.in_place = True
        self.moving: set[int] = set()
        self.numbers = False
        self.last: list[Any] = []

    def served(self, replays: int) -> None:
        """Take note of what a graph was good for that is given up."""
        if replays > LOOKED_AT:
            self.attempts = 0
        elif replays < 2:  # its own call
            self.in_place = False

    def note(self, values: Values) -> None:
        """Take note of a call."""
        places = list(map(place_of, values))
        if self.last:
            changed = [k for k, (now, before) in enumerate(zip(places, self.last, strict=True)) if now != before]
            self.moving.update(k for k in changed if is_gpu_array(values[k]))
            self.numbers = self.numbers or any(not is_gpu_array(values[k]) for k in changed)
        self.last = places
        self.calls += 1
