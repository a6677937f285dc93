"""The innermost loops of kernels that can be printed as vectors, and kernels with calls in their places, for Numba."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.reading import read
from autodiff.backends.language.tree import For, Function, Statement
from autodiff.backends.numba.products.machine import Machine
from autodiff.backends.numba.vectors.choice import FEW, better_written_out
from autodiff.backends.numba.vectors.intrinsic import loop_intrinsic
from autodiff.backends.numba.vectors.planning import planned
from autodiff.backends.numba.vectors.survey import Loop, innermost_loops
from autodiff.backends.numba.vectors.tree import Plan, strides


@dataclass(frozen=True)
class FoundLoop:
    """An innermost loop of a kernel.

    Attributes:
        line: where it stands.
        head: its first line.
        reason: why it is left to LLVM; empty if it is printed as vectors.
    """

    line: int
    head: str
    reason: str


def found_loops(text: str) -> list[FoundLoop]:
    """The innermost loops of a kernel, and what becomes of them."""
    return [
        FoundLoop(node.line, str(node), found if isinstance(found, str) else "") for node, found in plans(read(text))
    ]


def plans(function: Function) -> Iterator[tuple[For, Plan | str]]:
    """All innermost loops, with what they do or why they cannot be printed."""
    for loop in innermost_loops(function, contiguous):
        yield loop.original, plan_or_reason(loop)


def plan_or_reason(loop: Loop) -> Plan | str:
    """What a loop does, or why it cannot be printed."""
    try:
        plan = planned(loop)
    except Unsuited as reason:
        return str(reason)
    return "it is so short that LLVM writes it out" if better_written_out(plan) else plan


def contiguous(loop: Loop) -> bool:
    """Whether a loop can be printed and goes through memory element by element."""
    plan = plan_or_reason(loop)
    return isinstance(plan, Plan) and (plan.length is None or plan.length > FEW) and strides(plan) <= {0, 1}


def compiled(text: str, names: dict[str, Any], machine: Machine | None = None) -> Any:
    """The code of a kernel, for Numba, with a call in place of each loop that can be printed.

    Args:
        text: of the kernel; one with something that is no part of the language stays what it is.
        names: that the text may use; the functions that are called come in.
        machine: for which processor; that for which Numba compiles if None.
    """
    try:
        function = read(text)
    except Unsuited:
        return compile(text, "<kernel>", "exec")
    calls: dict[Statement, str] = {}
    for node, plan in plans(function):
        if isinstance(plan, Plan):
            name = f"vector_loop_{len(calls)}"
            names[name] = loop_intrinsic(name, plan, machine)
            calls[node] = call(name, plan)
    return compile(function.text(calls), "<kernel>", "exec")


def call(name: str, plan: Plan) -> str:
    """What stands in place of a loop."""
    value = f"{name}({', '.join(map(str, [plan.start, plan.stop, *plan.given]))})"
    return f"{', '.join(plan.results)} = {value}" if plan.results else value
