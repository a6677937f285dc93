"""The programs that a function keeps: those that were used last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from autodiff.trace.forking import lock_of
from autodiff.transforms.jit.signatures import NEVER, Form, Key

if TYPE_CHECKING:
    from autodiff.transforms.jit.recorded import Recorded


class ProgramCache:
    """The programs of a function, of bounded number: those that were looked up least recently go.

    A program that a call path finds without looking it up does not count as looked up: it may be dropped, and recorded
    again, after as many others as are kept.
    """

    def __init__(self) -> None:
        self.programs: OrderedDict[Hashable, Recorded] = OrderedDict()
        self.forms: dict[Key, Form] = {}
        self.lock = lock_of(self, "lock")  # not a simple one: a finalizer that runs meanwhile may call the function

    def form(self, key: Key, static: dict[int | str, Any]) -> Form:
        """The form of a key, kept or new."""
        return self.forms.get(key) or Form(key, static, self)

    def get(self, key: Hashable) -> Recorded | None:
        """A program by its form, what holds around the call, and the shapes and dtypes of its arrays."""
        with self.lock:
            found = self.programs.get(key)
            if found is not None:
                self.programs.move_to_end(key)
            return found

    def put(self, found: Recorded, limit: int) -> None:
        """Keep a program, and drop those that go for it."""
        with self.lock:
            form = found.form = self.forms.setdefault(found.form.key, found.form)
            key = form, found.state, found.details
            form.count += key not in self.programs  # another thread may have been quicker
            form.last = self.programs[key] = found
            self.programs.move_to_end(key)
            while len(self.programs) > max(limit, 1):
                self.forget(self.programs.popitem(last=False)[1].form)

    def forget(self, form: Form) -> None:
        """A program of a form is not kept any more."""
        form.last = NEVER
        form.count -= 1
        if not form.count:
            del self.forms[form.key]

    def values(self) -> list[Recorded]:
        """All programs, the one that was looked up last at the end."""
        with self.lock:
            return list(self.programs.values())

    def __len__(self) -> int:
        return len(self.programs)
