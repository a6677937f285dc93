"""How long it takes to compile a kernel, estimated from its text.

The time is about that of LLVM, which grows with its own text. A statement in an innermost loop becomes several there:
the loop as vectors, and what is left over of its rounds. So it takes three times as long as one that stands by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from autodiff.backends import cache
from autodiff.backends.native.identity import digest, surroundings
from autodiff.trace.forking import importing

STATEMENT, INNER, LOOP, REPEATED, LONGEST = 0.2, 0.55, 6.0, 0.15, 10_000.0
"""Estimated milliseconds of compiling: of a statement, of one in an innermost loop, of a loop, and of a statement in a
loop that was there before; and the longest that is worth it."""

WORTH_A_LOOK, SOME_LOOPS, PROMISING = 500.0, 16, 0.7
"""Kernels with some loops that are estimated to take so many milliseconds are looked at for loops that do the same;
where another text is known, only if the shortest time that they may take is such a part of that one's."""

SOME_REPEATS = 0.1
"""If less of a program's statements are repeated in one text, other texts of it are not looked at."""

MANY_LOOPS = 100
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


def without_repeats(text: str, lines: int, inner: int, loops: int) -> tuple[float, int, int]:
    """What a kernel costs whose repeated loops LLVM gets once.

    What is counted is kept on disk, beside the code: reading a long text takes longer than loading its code.

    Args:
        text: of the kernel.
        lines: of its body.
        inner: those in innermost loops.
        loops: how many it has.

    Returns:
        Milliseconds, the number of loops that LLVM gets, and the number of statements that were there before.
    """
    key = digest(b"\0".join([surroundings(), b"repeats", text.encode()]))
    known = cache.read(key, cache.COUNT)
    if known is None:
        known = b"%d %d" % repeated(text)
        cache.write(key, known, cache.COUNT)
    statements, again = map(int, known.split())
    loops -= again
    rest = estimated_cost(lines - statements, max(inner - statements, 0), loops)
    return rest + REPEATED * statements, loops, statements


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
