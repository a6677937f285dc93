"""Which operations became kernels, which did not, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from autodiff.backends.kernels.programs.call import whole
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.reports.plan import Plan, Statement
from autodiff.backends.reports.reasons import why
from autodiff.backends.reports.sources import names_of
from autodiff.backends.reports.table import table

HEAD = ("what runs", "lines", "why no kernel does it")


@dataclass(frozen=True)
class Call:
    """A statement that is no kernel.

    Args:
        kind: ``BLAS``, ``LAPACK``, ``NumPy``, ``Python``, ``view``, ``loop``, ``branch``, ``tape``.
        name: of the operation.
        inside: the loops and branches around it, the outermost first.
        source: the user's line.
        reason: why no kernel does it.
    """

    kind: str
    name: str
    inside: tuple[str, ...]
    source: str
    reason: str


@dataclass(frozen=True)
class Fused:
    """A kernel, and what was put into it.

    Args:
        operations: what it does: ``multiply x 2, exp, sum``.
        inside: the loops and branches around it, the outermost first.
        source: the user's lines.
        called_out: operations without a form in kernels for which it calls NumPy in every round of a loop, with the
            user's lines.
    """

    operations: str
    inside: tuple[str, ...]
    source: str
    called_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """How a program runs, and why; print it to read it.

    Args:
        name: of the function.
        reason: why the program is not one kernel; empty where it is.
        kernels: what was fused into what.
        calls: what was not.
        replayed: of programs on GPUs, whether launches become one, and if not, why.
    """

    name: str
    reason: str
    kernels: tuple[Fused, ...]
    calls: tuple[Call, ...]
    replayed: str = ""

    def __str__(self) -> str:
        calls = counted(len(self.calls), "call")
        parts = [f"{self.name} runs as {counted(len(self.kernels), 'kernel')} and {calls}.{because(self.reason)}"]
        parts += [
            "\n".join(
                f"kernel {number}{place(own.inside)}: {own.operations}{f'  # {own.source}' if own.source else ''}"
                + "".join(f"\n  calls out to NumPy in every round: {call}" for call in own.called_out)
                for number, own in enumerate(self.kernels, 1)
            )
        ]
        if self.calls:
            parts.append(self.table_of_calls())
        parts.append(self.replayed)
        parts.append("Derivatives are programs of their own: ask jit(grad(f)), jit(vmap(f)), ... for theirs.")
        return "\n\n".join(part for part in parts if part)

    def table_of_calls(self) -> str:
        """What is no kernel, line by line; briefly, where the one reason stands above it."""
        if all(call.reason == self.reason for call in self.calls):
            return table(HEAD[:2], list(rows_by_line(self.calls)), frozenset((0, 1)))
        rows = [(f"{indented(call)}: {call.name}", call.source, call.reason) for call in self.calls]
        return table(HEAD, rows, frozenset(range(len(HEAD))))


def indented(call: Call) -> str:
    """The kind of a call, moved to the right by the loops and branches around it."""
    return "  " * len(call.inside) + call.kind


def rows_by_line(calls: tuple[Call, ...]) -> Iterator[tuple[str, str]]:
    """Neighbouring calls of one line as one row, with how often each operation is called."""
    for (kind, source), group in groupby(calls, lambda call: (indented(call), call.source)):
        names = Counter(call.name for call in group)
        yield f"{kind}: {', '.join(name if n == 1 else f'{name} x {n}' for name, n in names.items())}", source


def because(reason: str) -> str:
    """A line that says why there are several calls."""
    return f"\nIt is not one kernel: {reason}." if reason else ""


def counted(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def place(inside: tuple[str, ...]) -> str:
    """Where a kernel is."""
    return f" in {' in '.join(reversed(inside))}" if inside else ""


def explanation(plan: Plan, name: str, replayed: str = "") -> Explanation:
    """How a program runs, and why; of programs on GPUs, whether launches become one is said by who runs it."""
    kernels: list[Fused] = []
    calls: list[Call] = []
    for statement, owner, inside in walked(plan, ()):
        if statement.kind == "kernel":
            kernels.append(Fused(names_of(statement.tape), inside, statement.source, calls_of(statement)))
        else:
            own = statement.equation.primitive.name
            calls.append(Call(statement.kind, own, inside, statement.source, why(statement, owner)))
    return Explanation(name, plan.reason, tuple(kernels), tuple(calls), replayed)


def calls_of(statement: Statement) -> tuple[str, ...]:
    """The operations that a kernel calls out for."""
    if statement.equation.primitive is not whole:
        return ()
    return whole_kernel(**dict(statement.equation.params)).calls


def walked(plan: Plan, inside: tuple[str, ...]) -> Iterator[tuple[Statement, Plan, tuple[str, ...]]]:
    """The statements of a program and of its bodies, with the program or body that they are of."""
    for statement in plan.statements:
        yield statement, plan, inside
        for name, body in statement.bodies:
            own = statement.equation.primitive.name
            label = own if name == "tape" else f"{name} of {own}"
            yield from walked(body, (*inside, label))
