"""What recorded code depends on beside its arguments: those who keep recordings ask before they use one again."""

from __future__ import annotations

from collections.abc import Callable, Hashable

surroundings: list[Callable[[], Hashable]] = []
"""Functions that say what holds now: entries of a configuration, for example."""


def surrounding_state() -> tuple[Hashable, ...]:
    """What all of them say now."""
    return tuple([state() for state in surroundings])
