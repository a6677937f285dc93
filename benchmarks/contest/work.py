"""A program ready to run, and the seconds that its calls take."""

from __future__ import annotations

from itertools import repeat
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Work:
    """A function and its arguments.

    Args:
        call: the function.
        arguments: what it is called with every time.
        wait: blocks until a result is there, for libraries that return before that.
    """

    def __init__(
        self, call: Callable[..., Any], arguments: Sequence[Any] = (), wait: Callable[[Any], Any] | None = None
    ) -> None:
        self.call, self.arguments, self.wait = call, tuple(arguments), wait

    def result(self) -> Any:
        """What one call returns."""
        result = self.call(*self.arguments)
        if self.wait is not None:
            self.wait(result)
        return result

    def seconds(self, calls: int) -> float:
        """Of so many calls, one after the other, each waited for."""
        call, arguments, wait = self.call, self.arguments, self.wait
        start = perf_counter()
        if wait is None:
            for _ in repeat(None, calls):
                call(*arguments)
        else:
            for _ in repeat(None, calls):
                wait(call(*arguments))
        return perf_counter() - start


RUN = 100
"""So many calls hand their results on."""


class DonatedWork(Work):
    """The first results take the places, and may take the memory, of some arguments of the next call.

    Args:
        call: the function.
        arguments: the first ones; every sample begins with copies of them.
        wait: as for `Work`.
        donated: the positions.
        copied: makes a copy of an argument.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        arguments: Sequence[Any],
        wait: Callable[[Any], Any] | None,
        donated: tuple[int, ...],
        copied: Callable[[Any], Any],
    ) -> None:
        super().__init__(call, arguments, wait)
        self.donated, self.copied = donated, copied

    def result(self) -> Any:
        result = self.call(*self.fresh())
        if self.wait is not None:
            self.wait(result)
        return result

    def seconds(self, calls: int) -> float:
        """The time of so many calls, begun anew after `RUN` of them.

        Thousands of training steps on one batch would end in numbers too small for the processor's fast paths.
        """
        return sum(self.run(min(RUN, calls - done)) for done in range(0, calls, RUN))

    def run(self, calls: int) -> float:
        """The time of calls that hand their results on."""
        call, wait, arguments = self.call, self.wait, self.fresh()
        places = list(enumerate(self.donated))
        start = perf_counter()
        for _ in repeat(None, calls):
            result = call(*arguments)
            if wait is not None:
                wait(result)
            for number, position in places:
                arguments[position] = result[number]
        return perf_counter() - start

    def fresh(self) -> list[Any]:
        """The arguments, those that are given away as copies."""
        return [self.copied(each) if n in self.donated else each for n, each in enumerate(self.arguments)]
