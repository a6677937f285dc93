"""Traced arrays that show part of another one, as NumPy's views do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.trace.errors import AliasingError
from autodiff.trace.recording import WithoutNewer
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import TRACERS, Spec
from autodiff.trace.tracer import Tracer, concrete

PRIMAL, SLOT = Tracer.primal, Tracer.slot  # type: ignore[misc]
SHARED, READ_ONLY, UNKNOWN = "shared", "read-only", "unknown"
REAL, IMAG = "real", "imag"
"""The keys of views of the parts of complex arrays."""


class InOrder(Tracer):
    """A traced array whose elements lie in C order in memory, where nothing else is known of it but its shape."""

    __slots__ = ()


class Unclear(Tracer):
    """A traced array that is not read any more: a write to a reshaped one may have changed it, or not."""

    __slots__ = ()

    @property
    def primal(self) -> Any:
        raise self.error()

    @property
    def slot(self) -> Any:
        raise self.error()

    def error(self) -> AliasingError:
        """What whoever reads it is told."""
        return AliasingError(
            f"a traced array is read after a write to an array that was reshaped from it{at_user_line()}; whether "
            "NumPy would have copied is not known here. Copy one before the write, or go on with the reshaped array."
        )


class View(Tracer):
    """A traced array whose elements are those of another one.

    A write to the base, or to another view of it, is seen here: the view derives itself again when it is read.

    Attributes:
        base: the traced array that it shows.
        function: gives the view from the base.
        key: what tells views of one base apart: equal keys, equal views. That of a slice or a part says where to write.
        sharing: whether memory is shared; where that is not known, reading one after a write to the other is an error.
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

    def detach(self, new: Tracer) -> None:
        """Stand for a value of its own. Where it is not known whether memory is shared, the base is unclear now."""
        root = self.base
        while type(root) is View:
            root = root.base
        root.__class__ = Unclear
        self.base = Tracer(new.primal, new.recording, new.slot)
        self.key = tuple((None, None, None) for _ in new.shape)
        self.function = whole
        self.sharing = SHARED
        self.derive()

    def is_read_only(self) -> bool:
        """Whether NumPy forbids writing to what it shows, unless a copy was made since."""
        return self.sharing == READ_ONLY or (type(self.base) is View and self.base.is_read_only())


TRACERS.update((View, InOrder))


def in_order(made: Any) -> Any:
    """A new array that NumPy lays out in C order."""
    if type(made) is Tracer and type(concrete(made)) is Spec and made.spec.kind == "array":
        made.__class__ = InOrder
    return made


def lying(array: Tracer) -> np.ndarray[Any, Any] | None:
    """A plain array that lies in memory as a traced one does, if that is known."""
    if type(array) is InOrder:
        return np.empty(array.shape, bool)
    if type(array) is not View or array.sharing == UNKNOWN:
        return None
    base = lying(array.base)
    shown = None if base is None else array.function(base)
    return shown if isinstance(shown, np.ndarray) and np.may_share_memory(shown, base) else None


def whole(array: Any) -> Any:
    """All of an array."""
    return array
