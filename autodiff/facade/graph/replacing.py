"""Operations that a program has replaced: it has set a method of the class that Chainer has for them.

Nothing is looked up while no program has done so: then :data:`deviations` does not say that there are any.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autodiff.facade.graph.creator import with_any_number
from autodiff.facade.settings.configuration import deviations

Replacement = Callable[[str, Callable[..., Any], Sequence[Any], Callable[..., Any] | None], Any]
"""Applies an operation: from its label, what it runs, its inputs, and what checks them."""

_replacements: dict[str, Replacement] = {}


class _Thread(threading.local):
    original = False


_thread = _Thread()


def replace(label: str, replacement: Replacement) -> None:
    """Let all operations of a label be applied by something else."""
    _replacements[label] = replacement
    deviations.add(replace)


def restore(label: str) -> None:
    """Let them be applied as ever."""
    _replacements.pop(label, None)
    if not _replacements:
        deviations.discard(replace)


def replacement(label: str) -> Replacement | None:
    """What applies the operations of a label in the place of what it names; None if that does so itself."""
    if not _replacements or _thread.original:
        return None
    return _replacements.get(label) or _replacements.get(with_any_number(label))


@contextmanager
def original() -> Iterator[None]:
    """Let the operations of this thread be what their labels name, as what replaces one has to run it."""
    before, _thread.original = _thread.original, True
    try:
        yield
    finally:
        _thread.original = before
