"""A program ready to run on a device, and the seconds that its calls take."""

from __future__ import annotations

from itertools import repeat
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.compiled_programs.program import LeftOutError
from benchmarks.contest.work import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.gpu_contest.clocks import Clock


class DeviceWork:
    """A function and its arguments. Calls follow each other without waiting, as in a training loop.

    Args:
        call: the function.
        arguments: what it is called with every time.
        clock: of the library.
        flush: overwrites the caches of the device; None where a row needs none.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        arguments: Sequence[Any],
        clock: Clock,
        flush: Callable[[], Any] | None = None,
    ) -> None:
        self.call, self.arguments, self.clock, self.flush = call, tuple(arguments), clock, flush
        if flush is not None and not clock.reads_single_calls:
            raise LeftOutError("shows no events, so that a call cannot be timed apart from what empties the caches")

    def result(self) -> Any:
        """What one call returns, when it is there."""
        result = self.call(*self.fresh())
        self.clock.wait(result)
        return result

    def seconds(self, calls: int) -> float:
        """Of so many calls together."""
        return self.cold(calls) if self.flush is not None else self.warm(calls)

    def warm(self, calls: int) -> float:
        """Of calls that find the caches as the last one left them."""
        call, arguments, clock = self.call, self.arguments, self.clock
        result = None
        start = clock.mark()
        for _ in repeat(None, calls):
            result = call(*arguments)
        end = clock.mark(result)
        clock.wait(result)
        return clock.between(start, end)

    def cold(self, calls: int) -> float:
        """So many times the median call, each between marks of its own, behind work that empties the caches."""
        assert self.flush is not None
        marks, result = [], None
        for _ in repeat(None, calls):
            self.flush()
            start = self.clock.mark()
            result = self.call(*self.arguments)
            marks.append((start, self.clock.mark(result)))
        self.clock.wait(result)
        return calls * median(self.clock.between(*pair) for pair in marks)

    def fresh(self) -> list[Any]:
        """The arguments."""
        return list(self.arguments)


class DonatedDeviceWork(DeviceWork):
    """The first results take the places, and may take the memory, of some arguments of the next call.

    Args:
        call: the function.
        arguments: the first ones; every `RUN` calls begin with copies of them.
        clock: of the library.
        donated: the positions.
        copied: makes a copy of an argument.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        arguments: Sequence[Any],
        clock: Clock,
        donated: tuple[int, ...],
        copied: Callable[[Any], Any],
    ) -> None:
        super().__init__(call, arguments, clock)
        self.donated, self.copied = donated, copied

    def seconds(self, calls: int) -> float:
        return sum(self.run(min(RUN, calls - done)) for done in range(0, calls, RUN))

    def run(self, calls: int) -> float:
        """Of calls that hand their results on."""
        call, clock, arguments = self.call, self.clock, self.fresh()
        places, result = list(enumerate(self.donated)), None
        clock.wait(arguments)
        start = clock.mark()
        for _ in repeat(None, calls):
            result = call(*arguments)
            for number, position in places:
                arguments[position] = result[number]
        end = clock.mark(result)
        clock.wait(result)
        return clock.between(start, end)

    def fresh(self) -> list[Any]:
        return [self.copied(each) if n in self.donated else each for n, each in enumerate(self.arguments)]
