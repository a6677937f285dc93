"""The programs: each is written once, and every subject runs it on its own arrays.

A program is built from a subject (for the functions that are not operators) and `(factor, offset)` pairs, and
is then a function of its leaves. Every operation is elementwise, so that the derivative can be checked by a
complex step through plain NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.subjects.subject import Subject

    Pairs = Iterable[tuple[Any, Any]]
    Function = Callable[..., Any]


def constants(subject: Subject, pairs: Pairs) -> Function:
    """`x * array`, `x + array`."""

    def program(x: Any) -> Any:
        for factor, offset in pairs:
            x = x * factor
            x = x + offset
        return x

    return program


def calls(subject: Subject, pairs: Pairs) -> Function:
    """The same chain through functions instead of operators."""
    multiply, add = subject.multiply, subject.add

    def program(x: Any) -> Any:
        for factor, offset in pairs:
            x = multiply(x, factor)
            x = add(x, offset)
        return x

    return program


def scalars(subject: Subject, pairs: Pairs) -> Function:
    """The same chain with Python scalars."""

    def program(x: Any) -> Any:
        for _ in pairs:
            x = x * 1.001
            x = x + 0.01
        return x

    return program


def leaves(subject: Subject, pairs: Pairs) -> Function:
    """The same chain with operands that need gradients too."""

    def program(x: Any, factor: Any, offset: Any) -> Any:
        for _ in pairs:
            x = x * factor
            x = x + offset
        return x

    return program


def diamond(subject: Subject, pairs: Pairs) -> Function:
    """Results used twice. The minus keeps x in (0, 1); a plus would grow until tanh has no slope left."""
    tanh = subject.tanh

    def program(x: Any) -> Any:
        for _ in pairs:
            y = tanh(x)
            x = x - y * y
        return x

    return program


def wide(subject: Subject, pairs: Pairs) -> Function:
    """One leaf used everywhere: its gradient is a sum of as many terms."""

    def program(x: Any) -> Any:
        total = x
        for factor, _ in pairs:
            total = total + x * factor
        return total

    return program


@dataclass(frozen=True)
class Program:
    """A row of the table: `build` makes the function, `steps` is how often its loop runs by default."""

    name: str
    title: str
    build: Callable[[Subject, Pairs], Function]
    leaves: int
    operations_per_step: int
    steps: int


# fmt: off
PROGRAMS = {
    program.name: program
    for program in (
        #       name         title                                          build   leaves operations steps
        Program("constants", "x*array, x+array, a new array in every step", constants,  1, 2,    500),
        Program("calls",     "the same through np.multiply and np.add",     calls,      1, 2,    500),
        Program("scalars",   "x*1.001, x+0.01 with Python scalars",         scalars,    1, 2,    500),
        Program("leaves",    "x*a, x+b where a and b need gradients too",   leaves,     3, 2,    500),
        Program("diamond",   "y = tanh(x); x = x - y*y",                    diamond,    1, 3,    333),
        Program("wide",      "s = s + x*array, terms of one leaf",          wide,       1, 2,  1_000),
        Program("long",      "x*array, x+array, many times around",         constants,  1, 2, 50_000),
    )
}
# fmt: on
