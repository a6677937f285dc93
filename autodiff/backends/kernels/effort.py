"""How long it takes to compile a kernel, estimated from its text.

The time is about that of LLVM, which grows with its own text. A statement in an innermost loop becomes several there:
the loop as vectors, and what is left over of its rounds. So it takes three times as long as one that stands by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autodiff.backends import cache
from autodiff.backends.native.identity import digest, surroundings
from autodiff.trace.forking import importing

STATEMENT, INNER, LOOP, REPEATED, LONGEST = 0.2, 0.55, 3.0, 0.15, 10_000.0
"""Estimated milliseconds of compiling: of a statement, of one in an innermost loop, of a loop, and of a statement in a
loop that was there before; and the longest that is worth it."""

WORTH_A_LOOK, SOME_LOOPS, PROMISING = 500.0, 16, 0.7
"""Kernels with some loops that are estimated to take so many milliseconds are looked at for loops that do the same;
where another text is known, only if the shortest time that they may take is such a part of that one's."""

MANY_LOOPS = 50
"""Of so many loops each takes LLVM twice as long, of twice as many three times: it looks at each beside the others."""


def estimated_cost(lines: int, inner: int, loops: int) -> float:
    """Milliseconds that it takes to compile so many lines, of which some are in innermost loops."""
    return 20 + STATEMENT * (lines - inner) + INNER * inner + LOOP * loops


def takes_too_long(cost: float, loops: int, longest: float) -> bool:
    """Whether a kernel takes longer to compile than is worth it, or than another one."""
    return cost > longest or cost + LOOP * loops**2 / MANY_LOOPS > LONGEST


def inner_statements(lines: Sequence[str]) -> int:
    """How many lines stand in loops that have no loop in them."""
    found = 0
    around: list[tuple[int, int]] = []  # of each loop how far in it is, and its lines, or -1 if it has a loop in it
    for line in (*lines, ""):
        written = line.lstrip(" ")
        depth = len(line) - len(written)
        while around and depth <= around[-1][0]:
            found += max(around.pop()[1], 0)
        if written.startswith(("for ", "while ")):
            if around:
                around[-1] = around[-1][0], -1
            around.append((depth, 0))
        elif around and around[-1][1] >= 0:
            around[-1] = around[-1][0], around[-1][1] + 1
    return found


class Repeats(NamedTuple):
    """How much of a kernel was there before, in loops that do the same; other texts of its program have as much.

    Attributes:
        statements: the part of the statements in innermost loops.
        loops: the part of the loops.
    """

    statements: float
    loops: float

    def cost(self, lines: int, inner: int, loops: int) -> tuple[float, int]:
        """Milliseconds that it takes to compile so many lines, and the number of loops that LLVM gets."""
        again = round(self.statements * inner)
        left = loops - round(self.loops * loops)
        return estimated_cost(lines - again, inner - again, left) + REPEATED * again, left

    def least_cost(self, lines: int, loops: int) -> tuple[float, int]:
        """The same of lines of which nobody knows where they stand."""
        return min(self.cost(lines, 0, loops), self.cost(lines, lines, loops))


def repeats_of(text: str, inner: int, loops: int) -> Repeats:
    """How much of a kernel was there before.

    What is counted is kept on disk, beside the code: reading a long text takes longer than loading its code.

    Args:
        text: of the kernel.
        inner: how many statements stand in innermost loops.
        loops: how many loops it has.
    """
    key = digest(b"\0".join([surroundings(), b"repeats", text.encode()]))
    known = cache.read(key, cache.COUNT)
    if known is None:
        known = b"%d %d" % repeated(text)
        cache.write(key, known, cache.COUNT)
    statements, again = map(int, known.split())
    return Repeats(min(statements / max(inner, 1), 1.0), again / loops)


def repeated(text: str) -> tuple[int, int]:
    """How many statements a kernel has in loops that were there before, and how many such loops, those in them too."""
    with importing:
        from autodiff.backends.language.reading import read  # noqa: PLC0415 - only long programs need these
        from autodiff.backends.language.tree import For, Statement, statements  # noqa: PLC0415
        from autodiff.backends.llvm.statements.repeats import repeats_in, with_places_named  # noqa: PLC0415

    known: set[str] = set()
    again: list[Statement] = []
    for loop, repeat in repeats_in(with_places_named(read(text)), {}).items():
        if repeat.key in known:
            again += statements([loop])
        known.add(repeat.key)
    return len(again), sum(isinstance(each, For) for each in again)
