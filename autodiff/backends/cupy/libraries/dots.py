"""Products of vectors as sums of products: a kernel of their own takes them in one pass, with what is computed beside.

CuPy writes all products to memory before it adds them. Sums of float32 are put together in float64 here.
"""

from __future__ import annotations

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.elementwise import multiply
from autodiff.ops.shape import sum_axes
from autodiff.trace.tape import Equation, Operand


def dot_as_sum(builder: Builder, equation: Equation) -> Operand | None:
    """The product of two vectors of one floating dtype."""
    own = [builder.spec(operand) for operand in equation.operands]
    if any(one.shape != own[0].shape or one.ndim != 1 or one.dtype != own[0].dtype for one in own):
        return None
    if not own[0].inexact or own[0].dtype.kind == "c":
        return None
    return builder.emit(sum_axes, builder.emit(multiply, *equation.operands), axes=(-1,))


DOTS: Rules = {"dot": (dot_as_sum,)}
