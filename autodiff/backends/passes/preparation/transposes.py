"""Arithmetic on transposed arrays is done before they are transposed: it joins the kernel that computes them.

Elements keep their bits.
"""

from __future__ import annotations

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.backends.passes.rewrite.shapes import full_order
from autodiff.ops.shape import transpose
from autodiff.trace.tape import Equation, Operand


def before_transposing(builder: Builder, equation: Equation) -> Operand | None:
    """An operation on arrays that are all transposed in one way, and read by nobody else, and on numbers."""
    out = equation.specs[0]
    if len(equation.specs) != 1 or out.kind != "array" or len(out.shape) < 2:
        return None
    order, operands = None, []
    for operand in equation.operands:
        own = builder.spec(operand)
        if not own.shape:
            operands.append(operand)
            continue
        made = builder.made(operand, "transpose")
        if made is None or own.shape != out.shape or not builder.used_once(operand):
            return None
        axes = full_order(made, len(out.shape))
        if order not in (None, axes):
            return None
        order = axes
        operands.append(made.operands[0])
    if order is None:
        return None
    return builder.emit(transpose, builder.emit(equation.primitive, *operands, **dict(equation.params)), axes=order)


TRANSPOSES: Rules = {"<elementwise>": (before_transposing,)}
