"""What is made once and shared while anybody uses it, or while it is among the last that were asked for."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

Thing = TypeVar("Thing")


class Recent(Generic[Thing]):
    """Things by their keys. What nobody else holds goes when as many others have been asked for.

    There are no locks: of two threads that put a thing under one key the second gets the first one's.

    Args:
        limit: so many are held here.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.alive: WeakValueDictionary[Hashable, Thing] = WeakValueDictionary()
        self.last: dict[Hashable, Thing] = {}

    def get(self, key: Hashable) -> Thing | None:
        """A thing, which is the one asked for last now; None where there is none."""
        found = self.alive.get(key)
        if found is not None:
            self.hold(key, found)
        return found

    def put(self, key: Hashable, thing: Thing) -> Thing:
        """The thing of a key: this one, unless there is another."""
        found = self.alive.setdefault(key, thing)
        self.hold(key, found)
        return found

    def hold(self, key: Hashable, thing: Thing) -> None:
        """Put a thing at the end, and let go of those that are too many, the oldest first."""
        self.last.pop(key, None)
        self.last[key] = thing
        while len(self.last) > self.limit:
            try:
                self.last.pop(next(iter(self.last)), None)
            except (RuntimeError, StopIteration):  # another thread lets go of them
                return

    def clear(self) -> None:
        """Forget all; what is in use stays with those who use it."""
        self.last.clear()
        self.alive.clear()
