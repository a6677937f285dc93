"""The programs that a function keeps: those that were used last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Generic, Protocol, TypeVar

from autodiff.trace.forking import lock_of
from autodiff.trace.surroundings import State
from autodiff.transforms.jit.signatures import NEVER, Details, Key, Signature


class Program(Protocol):
    """What is kept: a program that says what calls it is for."""

    signature: Signature[Any]

    @property
    def state(self) -> State:
        """What held around the call that it was recorded for."""

    @property
    def details(self) -> Details:
        """The shapes and dtypes of its arrays."""


P = TypeVar("P", bound=Program)


class ProgramCache(Generic[P]):
    """The programs of a function, of bounded number: those that were looked up least recently go.

    A program that a call path finds without looking it up does not count as looked up: it may be dropped, and recorded
    again, after as many others as are kept.
    """

    def __init__(self) -> None:
        self.programs: OrderedDict[Hashable, P] = OrderedDict()
        self.signatures: dict[Key, Signature[P]] = {}
        self.lock = lock_of(self, "lock")  # not a simple one: a finalizer that runs meanwhile may call the function

    def signature(self, key: Key, static: dict[int | str, Any]) -> Signature[P]:
        """The signature of a key, kept or new."""
        return self.signatures.get(key) or Signature(key, static, self)

    def get(self, key: Hashable) -> P | None:
        """A program by its signature, what holds around the call, and the shapes and dtypes of its arrays."""
        with self.lock:
            found = self.programs.get(key)
            if found is not None:
                self.programs.move_to_end(key)
            return found

    def put(self, found: P, limit: int) -> None:
        """Keep a program, and drop those that go for it."""
        with self.lock:
            signature = found.signature = self.signatures.setdefault(found.signature.key, found.signature)
            key = signature, found.state, found.details
            signature.count += key not in self.programs  # another thread may have been quicker
            signature.last = self.programs[key] = found
            self.programs.move_to_end(key)
            while len(self.programs) > max(limit, 1):
                self.forget(self.programs.popitem(last=False)[1].signature)

    def forget(self, signature: Signature[P]) -> None:
        """A program of a signature is not kept any more."""
        signature.last = NEVER
        signature.count -= 1
        if not signature.count:
            del self.signatures[signature.key]

    def values(self) -> list[P]:
        """All programs, the one that was looked up last at the end."""
        with self.lock:
            return list(self.programs.values())

    def __len__(self) -> int:
        return len(self.programs)
