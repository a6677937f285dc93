"""Who times programs: all that a program asks about profiles at each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from autodiff.backends.reports.entry import Event


class Watcher(Protocol):
    """What is told of each statement that ran."""

    def add(self, event: Event, own: int) -> None:
        """Note that a statement ran, for so many nanoseconds without those inside."""
        ...


open_profiles: list[Watcher] = []
"""The profiles that are open now, in whichever thread."""
