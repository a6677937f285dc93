"""The text of a kernel with a call in place of each loop that can be printed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autodiff.backends.numba.products.machine import Machine
from autodiff.backends.numba.vectors.choice import FEW, better_written_out
from autodiff.backends.numba.vectors.intrinsic import loop_intrinsic
from autodiff.backends.numba.vectors.planning import planned
from autodiff.backends.numba.vectors.survey import Loop, innermost_loops
from autodiff.backends.numba.vectors.tree import Plan, Unsuited, strides


@dataclass(frozen=True)
class FoundLoop:
    """An innermost loop of a text.

    Attributes:
        line: where it stands.
        head: its first line.
        reason: why it is left to Numba; empty if it is printed.
    """

    line: int
    head: str
    reason: str


def found_loops(text: str) -> list[FoundLoop]:
    """The innermost loops of the text of a kernel, and what becomes of them."""
    return [
        FoundLoop(node.lineno, ast.unparse(node).splitlines()[0], found if isinstance(found, str) else "")
        for node, found in plans(ast.parse(text))
    ]


def plans(module: ast.Module) -> Iterator[tuple[ast.For, Plan | str]]:
    """All innermost loops, with what they do or why they cannot be printed."""
    for function in module.body:
        if isinstance(function, ast.FunctionDef):
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
    """The code of the text of a kernel with a call in place of each loop that can be printed.

    Args:
        text: of the kernel.
        names: that the text may use; the functions that are called come in.
        machine: for which processor; that for which Numba compiles if None.
    """
    module = ast.parse(text)
    calls: dict[ast.AST, ast.stmt] = {}
    for node, plan in plans(module):
        if isinstance(plan, Plan):
            name = f"vector_loop_{len(calls)}"
            names[name] = loop_intrinsic(name, plan, machine)
            calls[node] = ast.copy_location(call(name, plan), node)
    return compile(ast.fix_missing_locations(_Replacing(calls).visit(module)), "<kernel>", "exec")


def call(name: str, plan: Plan) -> ast.stmt:
    """What stands in place of a loop."""
    given = [ast.Name(each, ast.Load()) for each in plan.given]
    value = ast.Call(ast.Name(name, ast.Load()), [plan.start, plan.stop, *given], [])
    if not plan.results:
        return ast.Expr(value)
    targets: list[ast.expr] = [ast.Name(each, ast.Store()) for each in plan.results]
    return ast.Assign([targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())], value)


class _Replacing(ast.NodeTransformer):
    def __init__(self, calls: dict[ast.AST, ast.stmt]) -> None:
        self.calls = calls

    def visit(self, node: ast.AST) -> Any:
        return self.calls[node] if node in self.calls else super().visit(node)
