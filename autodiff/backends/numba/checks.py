"""What a kernel that checks its accesses to memory while it runs is told, and what it notes."""

from __future__ import annotations

from dataclasses import dataclass

NOTED = ("state", "line", "word", "address", "size", "stores")
"""What a kernel notes of an access that it has not made, a word each; a state of 0: there was none."""

BLOCK, STACK = -1, -2
"""What stands for a word where an access belongs to the block itself, or to the stack of the kernel."""


@dataclass(frozen=True)
class Checks:
    """What is known of the block of a kernel that is checked.

    Attributes:
        words: how many it has. The word behind them is the address of ``NOTED``, behind which two words for each word
            of the block say where its array begins, and how many bytes it has.
        arrays: the words that are addresses of arrays.
    """

    words: int
    arrays: tuple[int, ...]
