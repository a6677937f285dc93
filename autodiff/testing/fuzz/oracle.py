"""What a program's result would be without rounding, and how far rounding errors can move it.

Kernels may add in another order, use other approximations of exp, and contract products and sums. How much that changes
a result depends on the program: a difference of nearly equal numbers makes much of an error in the last place. So the
program runs in double precision, once as it is, and some times with the result of every operation, also of derivatives,
moved by the error that it is allowed; how far the results move is the allowance. Elements whose NaN, infinity or whole
number changes on the way are decided by rounding, and tell nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.testing.fuzz.drawing import Argument, Draw
from autodiff.testing.fuzz.errors import Errors
from autodiff.testing.fuzz.modes import Mode
from autodiff.testing.fuzz.printing import watched_function_of
from autodiff.testing.fuzz.program import Program
from autodiff.testing.fuzz.rounding import Number, Rounding, true_of
from autodiff.trace.caching import cached_property
from autodiff.trace.tracer import concrete
from autodiff.trace.trees.tree import flatten


class Oracle:
    """What is right for one program, draw and mode.

    Args:
        program: the program.
        draw: its arguments.
        mode: whose eager side is run.
    """

    def __init__(self, program: Program, draw: Draw, mode: Mode) -> None:
        self.program, self.draw, self.mode = program, draw, mode
        self._runs: list[list[Any] | None] = []

    @cached_property
    def finite(self) -> bool:
        """Whether the program gets finite numbers only."""
        given = (*self.draw.arguments, *self.draw.constants)
        return all(bool(np.isfinite(argument.value).all()) for argument in given)

    @cached_property
    def lost(self) -> bool:
        """Whether a result of the program itself is NaN: then so may its derivatives be."""
        constants = tuple(map(Argument.laid_out, self.draw.constants))
        function = watched_function_of(self.program, constants, lambda _, value: value)
        try:
            found = flatten(function(*map(Argument.laid_out, self.draw.arguments)))[0]
        except Exception:  # what NumPy refuses
            return False
        return any(value.dtype.kind in "fc" and bool(np.isnan(value).any()) for value in map(np.asarray, found))

    @cached_property
    def events(self) -> Events:
        """The program in its own precision: which way it goes."""
        events = Events()
        self._run(events.watch, lambda value: value)
        return events

    @cached_property
    def reference(self) -> list[Any] | None:
        """The results in double precision; None where the program goes another way in it."""
        events = Events()
        found = self._rounded(events.watch, None)
        return found if events.taken == self.events.taken else None

    def moved(self, count: int) -> list[list[Any] | None]:
        """The results of so many runs with rounding errors; None where one raises."""
        while len(self._runs) < count:
            self._runs.append(self._rounded(None, Errors(len(self._runs))))
        return self._runs[:count]

    def _rounded(self, watch: Callable[[int, Any], Any] | None, errors: Errors | None) -> list[Any] | None:
        recording = Rounding(errors)

        def known(_: int, value: Any) -> Any:
            """A value that depends on no argument: as the result of a loop a kernel has it, and what follows rounds."""
            plain = isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f"
            return recording.lift(value) if plain else value

        try:
            return self._run(watch or known, recording.lift)
        finally:
            recording.close()

    def _run(self, watch: Callable[[int, Any], Any], take: Callable[[Any], Any]) -> list[Any] | None:
        constants = tuple(map(Argument.laid_out, self.draw.constants))
        function = watched_function_of(self.program, constants, watch)
        try:
            args = self.mode.prepared(tuple(map(Argument.laid_out, self.draw.arguments)))
            return list(map(true_of, flatten(self.mode.eager(function)(*map(take, args)))[0]))
        except Exception:  # a singular matrix, say, that rounding made or unmade
            return None


class Events:
    """Every boolean and whole number that statements make."""

    def __init__(self) -> None:
        self.taken: list[Any] = []

    def watch(self, number: int, value: Any) -> Any:
        """Take note of a value."""
        known = concrete(value)
        known = known.true if isinstance(known, Number) else known
        dtype = getattr(known, "dtype", None)
        if dtype is None:
            self.taken.append(known if isinstance(known, bool | int) else None)
        elif dtype.kind in "biu" and isinstance(known, np.ndarray | np.generic):
            self.taken.append(known.tolist())
        return value
