"""Traced arrays that show part of another one, as NumPy's views do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.trace.errors import AliasingError
from autodiff.trace.recording import WithoutNewer
from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import Tracer

PRIMAL, SLOT = Tracer.primal, Tracer.slot  # type: ignore[misc]
SHARED, READ_ONLY, UNKNOWN = "shared", "read-only", "unknown"


class View(Tracer):
    """A traced array whose elements are those of another one.

    A write to the base, or to another view of it, is seen here: the view derives itself again when it is read.

    Attributes:
        base: the traced array that it shows.
        function: gives the view from the base.
        key: what tells views of one base apart: equal keys, equal views.
        sharing: whether memory is shared; where that is not known, reading after a write is an error.
        seen: the base's slot when the view was derived last.
    """

    __slots__ = ("base", "function", "key", "seen", "sharing")

    def __init__(self, now: Tracer, base: Tracer, function: Callable[[Any], Any], key: Any, sharing: str) -> None:
        PRIMAL.__set__(self, PRIMAL.__get__(now))
        SLOT.__set__(self, SLOT.__get__(now))
        self.recording = now.recording
        self.base = base
        self.function = function
        self.key = key
        self.sharing = sharing
        self.seen = base.slot

    @property
    def primal(self) -> Any:
        self.derive()
        return PRIMAL.__get__(self)

    @primal.setter
    def primal(self, value: Any) -> None:
        PRIMAL.__set__(self, value)

    @property
    def slot(self) -> Any:
        self.derive()
        return SLOT.__get__(self)

    @slot.setter
    def slot(self, slot: Any) -> None:
        SLOT.__set__(self, slot)

    def derive(self) -> None:
        """Take the base's elements as they are now."""
        base = self.base
        now = base.slot
        if now is self.seen:
            return
        if self.sharing == UNKNOWN:
            raise AliasingError(
                f"a reshaped array is read after a write to the array that it was made from{at_user_line()}; whether "
                "NumPy would have copied is not known here. Reshape again after the write, or copy before it."
            )
        with WithoutNewer(base.recording):  # whoever reads: a view belongs to the one that records its base
            fresh = self.function(Tracer(base.primal, base.recording, now))
        PRIMAL.__set__(self, fresh.primal)
        SLOT.__set__(self, fresh.slot)
        self.seen = now
