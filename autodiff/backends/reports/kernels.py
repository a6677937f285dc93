"""The texts of the kernels of a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autodiff.backends.kernels.forms import Grid
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.kernels.row_memory import row_kernel_of
from autodiff.backends.kernels.shares import shared
from autodiff.backends.reports.plan import Plan, Statement
from autodiff.backends.reports.sources import lines_of, names_of
from autodiff.backends.reports.table import short
from autodiff.trace.tape import Tape


@dataclass(frozen=True)
class KernelText:
    """A kernel, and what it is for.

    Args:
        operations: what it does.
        source: the user's lines.
        sizes: how far its loops run, and who runs them.
        text: what is compiled: a function of the address of a block of words, and of a range of rows.
    """

    operations: str
    source: str
    sizes: str
    text: str

    def __str__(self) -> str:
        head = [self.operations, self.source, self.sizes]
        return "".join(f"# {line}\n" for line in head if line) + self.text


class Kernels(tuple[KernelText, ...]):
    """The kernels of a program in the order in which they run first; print it to read them.

    Attributes:
        reason: why there are none, or not one for all.
    """

    reason: str = ""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else f"# no kernels: {self.reason}\n"


def kernels(plan: Plan) -> Kernels:
    """The kernels of a program, and of the bodies of its loops and branches."""
    found = Kernels(dict.fromkeys(map(kernel_text, kernel_statements(plan))))
    found.reason = plan.reason
    return found


def kernel_statements(plan: Plan) -> Iterator[Statement]:
    """The statements that are kernels, also in bodies."""
    return (statement for statement in plan.every() if statement.kind == "kernel")


def kernel_text(statement: Statement) -> KernelText:
    """The text of the kernel of a statement."""
    tape = statement.tape
    if statement.equation.primitive.name == "kernel_of_rows":
        params = dict(statement.equation.params)
        kernel = row_kernel_of(tape, params["shape"], params.get("shared", ()))
        text, sizes = kernel.text, sizes_of_rows(kernel.grid, tape)
    else:
        whole = whole_kernel(tape)
        room = f", {short(whole.memory, 'B')} of memory to work in" if whole.memory else ""
        text, sizes = whole.text, f"one thread{room}"
    source = lines_of(tape.equations)
    return KernelText(names_of(tape), source, sizes, text)


def sizes_of_rows(grid: Grid, tape: Tape) -> str:
    """How a kernel runs over its grid."""
    share = shared(grid, tape)
    extent = f"{grid.rows} elements" if grid.flat else f"{grid.rows} rows of {grid.columns} columns"
    if share.parts == 1:
        return f"{extent}, at once"
    chunks = f"{share.parts} chunks of {share.chunk}"
    return f"{extent}, in {chunks}, {'shared by threads' if share.parallel else 'one thread'}"
