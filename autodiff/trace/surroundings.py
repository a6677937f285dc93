"""What recorded code depends on beside its arguments: those who keep recordings ask before they use one again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import NamedTuple

from autodiff.trace.forking import lock_of

State = tuple[tuple[Hashable, ...], ...]


class Surrounding(NamedTuple):
    """Entries of a configuration, for example.

    Attributes:
        names: their names, for explanations.
        values: gives their values in this thread.
        alike: whether they are the same in all threads now.
    """

    names: tuple[str, ...]
    values: Callable[[], tuple[Hashable, ...]]
    alike: Callable[[], bool]


class Now:
    """What holds now.

    Attributes:
        shared: what holds in all threads; None where threads differ, and until somebody asks again. Reading it is all
            that a call of a program pays, and it is the same object as long as it is equal.
    """

    __slots__ = ("shared",)

    def __init__(self) -> None:
        self.shared: State | None = None


now = Now()
surroundings: list[Surrounding] = []
"""Everybody who changes one of them calls :func:`changed` afterwards."""

_lock = lock_of(sys.modules[__name__], "_lock")
_states: dict[State, State] = {}


def changed() -> None:
    """To be called after a change, in whichever thread."""
    with _lock:
        now.shared = None


def surrounding_state() -> State:
    """What holds now in this thread: the same object for equal states."""
    found = now.shared
    if found is not None:
        return found
    with _lock:
        state = tuple([surrounding.values() for surrounding in surroundings])
        state = _states.setdefault(state, state)
        if all(surrounding.alike() for surrounding in surroundings):
            now.shared = state
    return state
