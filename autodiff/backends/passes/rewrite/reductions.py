"""Sums over leading and trailing axes at once, as two: only such ones lie on grids.

The gradients of biases and the statistics of images are sums over batch, height and width of
``(batch, channels, height, width)``: first each row of ``height x width`` elements is summed, in the kernel that
computes them, then the few sums over the batch. This changes the order of a sum.
"""

from __future__ import annotations

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.shape import reshape, sum_axes
from autodiff.trace.tape import Equation, Operand

MANY = 1 << 14
"""So many elements are worth one more call of NumPy."""


def split_sum(builder: Builder, equation: Equation) -> Operand | None:
    """The sum over trailing axes, then over leading ones."""
    (x,) = equation.operands
    given = builder.spec(x)
    axes = sorted(axis % given.ndim for axis in dict(equation.params)["axes"]) if given.ndim else []
    leading = [axis for place, axis in enumerate(axes) if axis == place]
    trailing = axes[len(leading) :]
    whole = trailing == list(range(given.ndim - len(trailing), given.ndim))
    if not leading or not trailing or not whole or len(axes) == given.ndim or 0 in given.shape:
        return None
    rows = builder.emit(sum_axes, x, axes=tuple(axis - given.ndim for axis in trailing))
    found = builder.emit(sum_axes, rows, axes=tuple(axis - given.ndim + len(trailing) for axis in leading))
    wanted = equation.specs[0]
    return found if builder.spec(found) == wanted else builder.emit(reshape, found, shape=wanted.shape)


def split_large_sum(builder: Builder, equation: Equation) -> Operand | None:
    """The same where it saves more than it costs."""
    return split_sum(builder, equation) if builder.spec(equation.operands[0]).size >= MANY else None


SPLIT_SUMS: Rules = {"sum": (split_sum,)}
SPLIT_LARGE_SUMS: Rules = {"sum": (split_large_sum,)}
