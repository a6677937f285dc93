"""A stack of matrices times one matrix is one product: one call of BLAS in place of one for each matrix."""

from __future__ import annotations

from math import prod

from autodiff.backends.passes.rewriting import Builder, Rules
from autodiff.ops.linalg import matmul
from autodiff.ops.shape import reshape
from autodiff.trace.tape import Equation, Operand


def flattened(builder: Builder, equation: Equation) -> Operand | None:
    """The product with the rows of all matrices under each other, where they lie so in memory."""
    x, y = equation.operands
    shape, other = builder.spec(x).shape, builder.spec(y).shape
    if len(shape) < 3 or len(other) != 2 or builder.made(x, "transpose", "slice_of", "broadcast_to") is not None:
        return None
    flat = builder.emit(reshape, x, shape=(prod(shape[:-1]), shape[-1]))
    return builder.emit(reshape, builder.emit(matmul, flat, y), shape=equation.specs[0].shape)


STACKS: Rules = {"matmul": (flattened,)}
