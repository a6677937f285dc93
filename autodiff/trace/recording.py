"""Who listens while code runs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, ClassVar

from autodiff.trace.errors import LeakedTracerError
from autodiff.trace.failures.concretization import ARRAY
from autodiff.trace.source import at_user_line

new_level = count(1).__next__
"""Levels come from one ever-growing counter: of several recordings, the one with the largest level records."""


class Recording:
    """One run of a transformation over the user's code.

    Attributes:
        level: larger for recordings that were opened later.
        open: whether the run is still going on.
        linked: whether operations become entries linked to their operands (see :mod:`autodiff.trace.live`): the
            operators of traced values then take a fast path.
    """

    __slots__ = ("level", "linked", "open")
    purpose: ClassVar[str] = "a transformation"

    def __init__(self) -> None:
        if awaited:
            prepare()
        self.level = new_level()
        self.open = True
        self.linked = False
        _thread.recordings += 1

    def keep(self, value: Any) -> Any:
        """The value as it is now, whatever happens later to the array that the user holds: for linked recordings."""
        raise NotImplementedError

    def keep_input(self, tracer: Any) -> Any:
        """The value of an input, kept: for linked recordings."""
        raise NotImplementedError

    def lift(self, value: Any) -> Any:
        """A traced value for an array from outside, or for a Variable, on which nothing depends here."""
        raise NotImplementedError

    def close(self) -> None:
        if self.open:
            _thread.recordings -= 1
        self.open = False
        self.linked = False

    def record(
        self,
        primitive: Any,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        """Run one operation and take note of it.

        Args:
            primitive: the operation.
            operands: plain values, traced values of this recording, and traced values of older ones.
            params: the operation's parameters.
            apply: what to run on the values in place of the primitive: Python's own operator, so that Python
                numbers stay Python numbers.
        """
        raise NotImplementedError

    def remedy(self, wanted: str) -> str:
        """What to do where a number of which only the shape is known would become ``wanted``."""
        if wanted == ARRAY:
            return (
                "Collect traced values with np.stack or np.concatenate, or assign them into np.zeros_like(x) of a "
                "traced x; pick from a plain array with autodiff.numpy.take(array, index) in place of array[index]; or "
                "compute it outside."
            )
        return (
            "Select with np.where, branch with autodiff.cond, loop with autodiff.while_loop; pick from a plain array "
            "with autodiff.numpy.take(array, index) in place of array[index]; or compute it outside."
        )

    def check_open(self, name: str) -> None:
        if not self.open:
            raise LeakedTracerError(
                f"{name}: a traced value was used after {self.purpose} that made it had ended{at_user_line()}. "
                "Return it from the function that is transformed; do not keep it in a global, an attribute or a "
                "closure."
            )


class _Thread(threading.local):
    def __init__(self) -> None:
        self.bodies: list[Recording] = []
        self.recordings = 0


_thread = _Thread()
bodies: list[Recording] = []
"""The bodies being traced in all threads: while it is empty nobody needs to look further."""


awaited: dict[str, Callable[[], object]] = {}
"""What is done when something is transformed after a module of other libraries was loaded, which asks those alone who
have registered with it."""


def prepare() -> None:
    """Do what waits for modules that are loaded by now."""
    for module in [name for name in awaited if name in sys.modules]:
        awaited.pop(module, bool)()


def innermost_body() -> Recording | None:
    """The body that this thread is tracing now, if any."""
    return _thread.bodies[-1] if _thread.bodies else None


def is_recording() -> bool:
    """Whether this thread runs a function that is transformed."""
    return _thread.recordings > 0


class TracingBody:
    """While it is entered, this thread's operations on traced values from outside belong to ``body``."""

    __slots__ = ("body",)

    def __init__(self, body: Recording) -> None:
        self.body = body

    def __enter__(self) -> None:
        _thread.bodies.append(self.body)
        bodies.append(self.body)

    def __exit__(self, *_: object) -> None:
        _thread.bodies.remove(self.body)
        bodies.remove(self.body)


class WithoutNewer:
    """While it is entered, the bodies that this thread traces and that were opened after a recording take no note."""

    __slots__ = ("all", "recording")

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def __enter__(self) -> None:
        self.all = _thread.bodies
        if self.all:
            _thread.bodies = [body for body in self.all if body.level <= self.recording.level]

    def __exit__(self, *_: object) -> None:
        _thread.bodies = self.all
