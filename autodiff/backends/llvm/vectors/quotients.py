"""Quotients by what is the same in all rounds of a loop, without a division in a round.

x / y is q = x (1/y), with the remainder x - q y divided again: q + (x - q y) (1/y), which is the rounded quotient; but
the last place may be another one where x or the quotient is so tiny that denormal numbers come in. Where that is no
number, because of an infinity, and where it is zero, whose sign would be lost, q is the result. So that 1/y is no
infinity, and has all its bits, a tiny or huge y is scaled, and x with it.
"""

from __future__ import annotations

from typing import Any

from autodiff.backends.llvm.vectors.operations import Operations
from autodiff.backends.llvm.vectors.tree import Node, Plan

PRICE = 15
"""Instructions that take as long as a division, less those that stand for it."""

SCALES = {"f4": (2.0**-126, 2.0**126, 2.0**24), "f8": (2.0**-1022, 2.0**1022, 2.0**54)}
"""What is tiny, what is huge, and the factor."""


def divisors(plan: Plan) -> list[Node]:
    """The divisors that are the same in all rounds."""
    found: list[Node] = []
    waiting = [statement.value for statement in plan.statements]
    while waiting:
        node = waiting.pop()
        if by_the_same(node):
            found.append(node.operands[1])
        waiting.extend(node.operands)
    return found


def by_the_same(node: Node) -> bool:
    """Whether a node is a quotient by what is the same in all rounds."""
    return node.operation == "/" and node.type in SCALES and node.varying and not node.operands[1].varying


class Quotients(Operations):
    """Prints such quotients."""

    def reciprocal(self, y: Any, type_: str) -> tuple[Any, Any, Any]:
        """What quotients by a number need of it: a factor of both sides, the number times that, its reciprocal."""
        builder = self.builder
        tiny, huge, factor = (y.type(number) for number in SCALES[type_])
        size = self.plain("absolute", type_, [y])
        scale = builder.select(builder.fcmp_ordered("<", size, tiny), factor, y.type(1.0))
        scale = builder.select(builder.fcmp_ordered(">", size, huge), y.type(1 / SCALES[type_][2]), scale)
        scaled = builder.fmul(y, scale)
        return scale, scaled, builder.fdiv(y.type(1.0), scaled)

    def quotient(self, x: Any, by: tuple[Any, Any, Any]) -> Any:
        builder = self.builder
        scale, y, inverse = map(self.wide, by)
        x = builder.fmul(self.wide(x), scale)
        first = builder.fmul(x, inverse)
        left = self.fma(builder.fneg(first), y, x)
        better = self.fma(left, inverse, first)
        return builder.select(builder.fcmp_unordered("==", better, self.zero(better.type)), first, better)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        return self.call(f"llvm.fma.{self.suffix(x.type)}", x.type, [x, y, z])
