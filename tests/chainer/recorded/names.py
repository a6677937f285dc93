"""`F.relu`, `L.Linear`, ...: names that are looked up in Chainer, or in autodiff.chainer, when they are called.

The tables of cases are read by two interpreters: one where the real Chainer 7.8.1 runs, which records, and ours.
"""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info < (3, 11):  # Chainer 7.8.1 runs on nothing newer, autodiff on nothing older  # noqa: UP036
    import chainer as namespace
else:
    import autodiff.chainer as namespace

resolved: list[str] = []  # every name that was called, for the account of what is covered


class Missing(NotImplementedError):
    """A name of Chainer that autodiff.chainer does not have yet."""


class Name:
    """A dotted name inside the namespace, looked up when called."""

    def __init__(self, *path: str) -> None:
        self.path = path

    def __getattr__(self, name: str) -> Name:
        return Name(*self.path, name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.value()(*args, **keywords)

    def value(self) -> Any:
        resolved.append(".".join(self.path))
        value = namespace
        for name in self.path:
            if not hasattr(value, name):
                raise Missing("chainer." + ".".join(self.path))
            value = getattr(value, name)
        return value


chainer = Name()
F = Name("functions")
L = Name("links")
O = Name("optimizers")  # noqa: E741 - the customary letter
I = Name("initializers")  # noqa: E741 - the customary letter
