"""What a kernel that checks its accesses to memory while it runs is told, and what it notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NOTED = ("state", "line", "word", "begin", "extent", "address", "size", "stores")
"""What a kernel notes of an access that it has not made, a word each; a state of 0: there was none."""

BLOCK, STACK = -1, -2
"""What stands for a word where an access belongs to the block itself, or to the stack of the kernel."""

MEMORY = "memory"
"""What kernels call the memory that they work in."""

Rooms = Mapping[str, tuple[int, int]]
"""Parts of that memory that share nothing, by the names of their addresses: where they begin in it, and their bytes."""


@dataclass(frozen=True)
class Checks:
    """What is known of the block of a kernel that is checked.

    Attributes:
        words: how many it has. The word behind them is the address of ``NOTED``, behind which two words for each word
            of the block say where its array begins, and how many bytes it has.
        arrays: the words that are addresses of arrays.
        rooms: the parts of the memory that it works in. Its accesses are compared with these. What stands for the word
            of one is its number, counted on from that of the words.
    """

    words: int
    arrays: tuple[int, ...]
    rooms: tuple[tuple[str, tuple[int, int]], ...] = ()

    def room(self, name: str) -> tuple[int, int, int] | None:
        """What stands for the word of a room, where it begins, and its bytes; None if there is none of that name."""
        for number, (own, (place, size)) in enumerate(self.rooms, self.words):
            if own == name:
                return number, place, size
        return None
