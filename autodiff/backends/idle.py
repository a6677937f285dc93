"""Workspaces that no call uses: how many of them are kept."""

from __future__ import annotations

from typing import Any, SupportsIndex

SMALL = 1 << 20
"""Workspaces of so many bytes are kept, however many there are."""

WINDOW = 64
"""Of larger ones as many are kept as were in use at once in so many calls."""


class Idle(list[tuple[Any, ...]]):
    """Large workspaces that no call uses: no more than were in use at once lately.

    There are no locks, which a fork could leave closed. What is lost where two threads count at once makes no
    difference for long, since each window counts anew. A workspace that was just made is counted from its second use.
    """

    def __init__(self) -> None:
        super().__init__()
        self.used: set[int] = set()
        self.most = self.calls = 0

    def pop(self, index: SupportsIndex = -1) -> tuple[Any, ...]:
        """Take one out."""
        found = super().pop(index)
        self.used.add(id(found))
        self.most = max(self.most, len(self.used))
        return found

    def append(self, workspace: tuple[Any, ...]) -> None:
        """Put one back."""
        self.used.discard(id(workspace))
        super().append(workspace)
        self.calls += 1
        if self.calls >= WINDOW:
            del self[: max(0, len(self) + len(self.used) - max(self.most, 1))]
            self.most, self.calls = len(self.used), 0
