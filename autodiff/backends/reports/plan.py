"""The statements of a program as it is run, with the bodies of its loops and branches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from autodiff.backends.choice import Backend
from autodiff.backends.kernels.primitive import KernelPrimitive
from autodiff.backends.reports.counts import Count, count, is_view
from autodiff.backends.reports.sources import lines_of
from autodiff.trace.caching import cached_property
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape, inner_tapes

BLAS = {"matmul", "linear_map", "matvec", "dot", "einsum"}
ON_GPU = {"BLAS": "cuBLAS", "LAPACK": "cuSOLVER", "NumPy": "CuPy"}


@dataclass(frozen=True)
class Statement:
    """One operation of a program as it is run.

    Args:
        equation: the operation; kernels carry the tape of what they do.
        known: the specs of the slots of its tape.
        bodies: those of a loop or branch, with their names.
        gpu: whether it runs on a GPU.
    """

    equation: Equation
    known: tuple[Spec, ...]
    bodies: tuple[tuple[str, Plan], ...] = ()
    gpu: bool = False

    @property
    def kind(self) -> str:
        """Who does it: ``kernel``, ``loop``, ``branch``, ``view``, ``BLAS``, ``LAPACK``, ``Python``, ``NumPy``.

        On GPUs ``cuBLAS``, ``cuSOLVER`` and ``CuPy`` stand for the libraries.
        """
        return ON_GPU.get(self.kind_on_host, self.kind_on_host) if self.gpu else self.kind_on_host

    @property
    def kind_on_host(self) -> str:
        """Who would do it on a CPU."""
        primitive, specs = self.equation.primitive, self.equation.specs
        if isinstance(primitive, KernelPrimitive):
            return "kernel"
        if self.bodies:
            return "branch" if primitive.name == "switch" else "loop" if self.compiles else "tape"
        if specs and specs[0].kind == "python":
            return "Python"
        if is_view(self.equation):
            return "view"
        if primitive.name in BLAS and specs[0].inexact:
            return "BLAS"
        return "LAPACK" if primitive.facts.cubes else "NumPy"

    @property
    def source(self) -> str:
        """The user's line; of a kernel those of all that it does."""
        return lines_of(self.tape.equations) if self.kind == "kernel" else self.equation.source

    @property
    def compiles(self) -> bool:
        """Whether it is a loop or branch, whose bodies are programs."""
        return hasattr(self.equation.primitive, "compiled")

    @property
    def times(self) -> int:
        """How often its bodies run: the length of a scan; of other loops nobody knows, and one step is counted."""
        params = dict(self.equation.params)
        return int(params["length"]) if self.equation.primitive.name == "scan" else 1

    @cached_property
    def count(self) -> Count:
        """What it does; a branch as much as its busiest body."""
        if not self.bodies:
            return count(self.equation, self.known)
        found = [plan.count for _, plan in self.bodies]
        if self.kind == "branch":
            return max(found, key=lambda own: (own.operations + 10 * own.functions, own.bytes))
        return sum(found, Count()) * self.times

    @property
    def tape(self) -> Tape:
        """What a kernel does."""
        found: Tape = dict(self.equation.params)["tape"]
        return found


@dataclass(frozen=True)
class Plan:
    """A program as it is run.

    Args:
        tape: with kernels in the places of what they do.
        reason: why it is not one kernel; empty where it is.
        statements: one for each equation.
        plain: whether nothing is compiled at all.
        planned: whether its memory is planned.
        gpu: whether it runs on a GPU.
    """

    tape: Tape
    reason: str
    statements: tuple[Statement, ...]
    plain: bool
    planned: bool = True
    gpu: bool = False

    @cached_property
    def count(self) -> Count:
        """What it does in all."""
        return sum((statement.count for statement in self.statements), Count())

    def every(self) -> Iterator[Statement]:
        """The statements, and after each those of its bodies."""
        for statement in self.statements:
            yield statement
            for _, body in statement.bodies:
                yield from body.every()

    @property
    def whole(self) -> Tape:
        """The tape with the bodies of loops and branches as they are run, too."""
        return replace(self.tape, equations=tuple(map(with_bodies, self.statements)))


def plan(tape: Tape, backend: Backend) -> Plan:
    """How a tape without constants is run."""
    found, gpu = backend.schedule(tape), backend.gpu
    plain = bool(backend.plain)
    return Plan(found.tape, found.reason, statements(found.tape, backend), plain, planned=not gpu, gpu=gpu)


def interpreted(tape: Tape) -> Plan:
    """How a tape is run operation by operation."""
    return Plan(tape, "its operations are run one by one", statements(tape, None), plain=True, planned=False)


def statements(tape: Tape, backend: Backend | None) -> tuple[Statement, ...]:
    """The operations of a tape, with the bodies of loops and branches; without a backend none of them is compiled."""
    known = tape.specs
    found = []
    for equation in tape.equations:
        compiled = compiled_tapes(equation) if backend is not None else []
        bodies = () if isinstance(equation.primitive, KernelPrimitive) else inner_tapes(equation)
        plans = tuple(
            (name, plan(body, backend) if backend is not None and body in compiled else interpreted(body))
            for name, body in bodies
        )
        found.append(Statement(equation, known, plans, backend is not None and backend.gpu))
    return tuple(found)


def compiled_tapes(equation: Equation) -> list[Tape]:
    """Which of the tapes that an operation carries it has compiled."""
    found: list[Tape] = []
    compiled = getattr(equation.primitive, "compiled", None)
    if compiled is not None:

        def note(tape: Tape) -> Any:
            found.append(tape)

        compiled(note, **dict(equation.params))
    return found


def with_bodies(statement: Statement) -> Equation:
    """An operation with its bodies as they are run."""
    plans = {name: body.whole for name, body in statement.bodies}
    if not plans:
        return statement.equation
    params = []
    for name, value in statement.equation.params:
        if name in plans:
            value = plans[name]
        elif isinstance(value, tuple):
            value = tuple(plans.get(f"{name}[{k}]", part) for k, part in enumerate(value))
        params.append((name, value))
    return replace(statement.equation, params=tuple(params))
