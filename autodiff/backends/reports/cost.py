"""What a program costs, statement by statement: operations, bytes, and memory at its peak."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff.backends.reports.counts import Count
from autodiff.backends.reports.memory import peak
from autodiff.backends.reports.plan import Plan, Statement
from autodiff.backends.reports.sources import names_of
from autodiff.backends.reports.table import short, table

HEAD = ("what runs", "operations", "functions", "read", "written", "per byte", "lines")
LONGEST = 60
"""Characters of the names of what runs."""


@dataclass(frozen=True)
class Line:
    """What one kernel or call costs in one run of the program.

    Args:
        kind: ``kernel``, ``BLAS``, ``LAPACK``, ``NumPy``, ``Python``, ``view``, ``loop``, ``branch``, ``tape``. The
            statements of loops and branches follow them, and are part of their counts.
        name: of the operation; for kernels of all that they do.
        depth: how many loops and branches are around it.
        times: how often it runs: in loops whose length nobody knows once.
        count: what it does in all.
        source: the user's lines.
    """

    kind: str
    name: str
    depth: int
    times: int
    count: Count
    source: str


@dataclass(frozen=True)
class Cost:
    """What a program costs, by counting.

    Args:
        lines: one for each statement; print the cost for a table of them.
        total: what the statements do together.
        peak: the bytes of arrays that are alive at once, arguments and results included.

    Additions, multiplications, divisions, comparisons and selections are *operations*; ``exp``, ``tanh`` and their like
    are *functions*. A kernel reads its operands and writes its results once; what it keeps between is not counted.
    """

    lines: tuple[Line, ...]
    total: Count
    peak: int

    @property
    def intensity(self) -> float:
        """Operations and functions for each byte that is read or written."""
        return intensity(self.total)

    def __str__(self) -> str:
        rows = [row(line) for line in self.lines]
        rows.append(("total", *numbers(self.total), ""))
        return f"{table(HEAD, rows, frozenset((0, len(HEAD) - 1)))}\n\nbytes alive at the peak: {short(self.peak, 'B')}"


def cost(plan: Plan) -> Cost:
    """What a program costs."""
    return Cost(tuple(lines(plan, 0, 1)), plan.count, peak(plan))


def lines(plan: Plan, depth: int, times: int) -> list[Line]:
    """The lines of a program or body that runs so many times."""
    found = []
    for statement in plan.statements:
        found.append(Line(statement.kind, name(statement), depth, times, statement.count * times, statement.source))
        for _, body in statement.bodies:
            found.extend(lines(body, depth + 1, times * statement.times))
    return found


def name(statement: Statement) -> str:
    """What a statement does."""
    equation = statement.equation
    if statement.kind == "kernel":
        return names_of(statement.tape)
    if equation.primitive.name == "scan":
        return f"scan of {statement.times} steps"
    return f"{equation.primitive.name} (one step)" if statement.kind == "loop" else equation.primitive.name


def row(line: Line) -> tuple[str, ...]:
    """The cells of a line."""
    label = "  " * line.depth + f"{line.kind}: {line.name}"
    label = label if len(label) <= LONGEST else f"{label[: LONGEST - 4]} ..."
    return label, *numbers(line.count), line.source


def numbers(own: Count) -> tuple[str, ...]:
    """The cells of a count."""
    per_byte = f"{intensity(own):.3g}" if own.bytes else "-"
    return short(own.operations), short(own.functions), short(own.read, "B"), short(own.written, "B"), per_byte


def intensity(own: Count) -> float:
    """What is done for each byte; zero where none is moved."""
    return (own.operations + own.functions) / own.bytes if own.bytes else 0.0
