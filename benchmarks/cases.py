"""Which cases a run measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.case import Case
from benchmarks.programs import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def cases(lengths: Sequence[int], programs: Sequence[str], quick: bool) -> Iterator[Case]:
    """The constants chain at every length, the other programs at the shortest one."""
    for name in programs:
        for length in sorted(lengths) if name == "constants" else [min(lengths)]:
            steps = PROGRAMS[name].steps
            yield Case(name, length, max(1, steps // 20) if quick else steps, rounds(name, length, quick))


def rounds(program: str, length: int, quick: bool) -> int:
    """Fewer where a round takes seconds."""
    if quick:
        return 3
    if program == "long":
        return 5
    return 9 if length >= 100_000 else 31
