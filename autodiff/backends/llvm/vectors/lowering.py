"""The innermost loops of kernels, and which of them can be printed as vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.reading import read
from autodiff.backends.language.tree import For, Function
from autodiff.backends.llvm.vectors.choice import FEW, better_written_out
from autodiff.backends.llvm.vectors.planning import planned
from autodiff.backends.llvm.vectors.survey import Loop, innermost_loops
from autodiff.backends.llvm.vectors.tree import Plan, strides


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
