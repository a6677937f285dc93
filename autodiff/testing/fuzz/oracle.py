"""What a program's result would be without rounding, and how far rounding errors can move it.

Kernels may add in another order, use other approximations of exp, and contract products and sums. How much that changes
a result depends on the program: a difference of nearly equal numbers makes much of an error in the last place. So the
program runs in double precision, once as it is, and some times with every rounded value moved by the error that an
operation is allowed; how far the results move is the allowance. Elements whose NaN, infinity or whole number changes on
the way are decided by rounding, and tell nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.fuzz.drawing import Argument, Draw
from autodiff.testing.fuzz.modes import Mode
from autodiff.testing.fuzz.printing import watched_function_of
from autodiff.testing.fuzz.program import Program
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete
from autodiff.trace.tree import flatten

ALLOWED = 3.0
"""Relative error of a rounded value, in units of its dtype's epsilon: between three and six units in the last place.

Vector mathematics states at most four units for a function, arithmetic half of one.
"""

DOUBLE = {"float32": np.float64, "complex64": np.complex128}


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
    def events(self) -> Events:
        """The program in its own precision: which dtypes its values have, and which way it goes."""
        events = Events()
        self._run(events.watch, events.keep, events.keep, double=False)
        return events

    @cached_property
    def reference(self) -> list[Any] | None:
        """The results in double precision; None where the program goes another way in it."""
        events = Events()
        found = self._run(events.watch, events.keep, events.keep, double=True)
        return found if events.taken == self.events.taken else None

    def moved(self, count: int) -> list[list[Any] | None]:
        """The results of so many runs with rounding errors; None where one raises."""
        while len(self._runs) < count:
            noise = Noise(self.events.dtypes, len(self._runs))
            self._runs.append(self._run(noise.watch, noise.stir, noise.echo, double=True))
        return self._runs[:count]

    def _run(
        self, watch: Callable[..., Any], stir: Callable[..., Any], echo: Callable[..., Any], double: bool
    ) -> list[Any] | None:
        take = doubled if double else Argument.laid_out
        constants = tuple(map(take, self.draw.constants))
        function = watched_function_of(self.program, constants, watch, stir, echo, double)
        try:
            args = self.mode.prepared(tuple(map(take, self.draw.arguments)))
            return list(flatten(self.mode.eager(function)(*args))[0])
        except Exception:  # a singular matrix, say, that rounding made or unmade
            return None


class Events:
    """Which dtypes the statements make, and every boolean and whole number that they make."""

    def __init__(self) -> None:
        self.dtypes: dict[int, str] = {}
        self.taken: list[Any] = []

    def watch(self, number: int, value: Any) -> Any:
        """Take note of a value."""
        known = concrete(value)
        dtype = getattr(known, "dtype", None)
        if dtype is None:
            self.taken.append(known if isinstance(known, bool | int) else None)
            return value
        self.dtypes.setdefault(number, dtype.name)
        if dtype.kind in "biu" and isinstance(known, np.ndarray | np.generic):
            self.taken.append(known.tolist())
        return value

    def keep(self, number: int, value: Any) -> Any:
        """Operands are taken note of where they are made."""
        return value


class Noise:
    """Moves values by rounding errors.

    In every other run the errors of an array have one sign, as those of a sum in another order may have: they add up.

    Args:
        dtypes: those that statements have in the program's own precision.
        run: decides all signs.
    """

    def __init__(self, dtypes: dict[int, str], run: int) -> None:
        self.dtypes = dtypes
        self.together = run % 2 == 0
        self.random = np.random.default_rng(run)

    def watch(self, number: int, value: Any) -> Any:
        """The value, moved by what its operation is allowed."""
        return self._moved(number, value, None)

    def stir(self, number: int, value: Any) -> Any:
        """An operand whose elements are added up: errors are relative to the sum of magnitudes."""
        return self._moved(number, value, concrete(value))

    def echo(self, number: int, value: Any) -> Any:
        """An operand as it is, whose derivative is moved: what comes back from several uses is rounded in each."""
        if not isinstance(value, Traced) or value.dtype.kind not in "fc":
            return value
        moved = self._moved(number, value, None)
        return moved - autodiff.stop_gradient(moved - value)

    def _moved(self, number: int, value: Any, known: Any) -> Any:
        dtype = getattr(value, "dtype", None)
        if (dtype.kind not in "fc") if dtype is not None else not isinstance(value, float | complex):
            return value
        own = self.dtypes.get(number, "float64")
        step = ALLOWED * float(np.finfo(own if np.dtype(own).kind in "fc" else "float64").eps)
        shape = np.shape(value)
        if not self.together:
            signs: Any = self.random.choice((-1.0, 1.0), shape)
        else:
            signs = self.random.choice((-1.0, 1.0))
            if isinstance(known, np.ndarray) and known.dtype.kind == "f":
                signs = signs * np.where(known < 0, -1.0, 1.0)
        return value * (1 + step * signs)


def doubled(argument: Argument) -> Any:
    """An argument in double precision."""
    value = argument.laid_out()
    wider = DOUBLE.get(getattr(getattr(value, "dtype", None), "name", ""))
    return value if wider is None else value.astype(wider)
