"""Products of stacks: of one matrix with many it is one product, and sums of narrow rows are products too."""

from __future__ import annotations

from math import prod

import numpy as np

from autodiff.backends.passes.rewrite.contractions import sum_of_product
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.matrices.products import matmul
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.tape import Equation, Literal, Operand


def flattened(builder: Builder, equation: Equation) -> Operand | None:
    """The product with the rows of all matrices under each other, where they lie so in memory."""
    x, y = equation.operands
    shape, other = builder.spec(x).shape, builder.spec(y).shape
    if len(shape) < 3 or len(other) != 2 or builder.made(x, "transpose", "slice_of", "broadcast_to") is not None:
        return None
    flat = builder.emit(reshape, x, shape=(prod(shape[:-1]), shape[-1]))
    return builder.emit(reshape, builder.emit(matmul, flat, y), shape=equation.specs[0].shape)


LARGE, NARROW = 1 << 15, 64
"""Sums of so many elements, with rows of at most so many, are products: NumPy adds one short row after the other."""


def sum_as_product(builder: Builder, equation: Equation) -> Operand | None:
    """The sum of the rows of each of a stack of narrow matrices: a row of ones times the matrix."""
    (x,) = equation.operands
    spec = builder.spec(x)
    narrow = spec.ndim > 2 and spec.size >= LARGE and spec.shape[-1] <= NARROW
    if not narrow or dict(equation.params)["axes"] != (-2,) or spec.dtype not in (np.float32, np.float64):
        return None
    ones = builder.emit(broadcast_to, Literal(spec.dtype.type(1)), shape=(*(1,) * (spec.ndim - 1), spec.shape[-2]))
    return builder.emit(reshape, builder.emit(matmul, ones, x), shape=equation.specs[0].shape)


STACKS: Rules = {"matmul": (flattened,), "sum": (sum_of_product, sum_as_product)}
