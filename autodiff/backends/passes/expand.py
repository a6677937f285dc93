"""Operations that are one piece for NumPy, written out for kernels: taken apart, they fuse with what is around."""

from __future__ import annotations

from math import inf
from typing import Any

from autodiff.backends.passes.rewriting import Builder, Rules, rewrite
from autodiff.ops import elementwise as ew
from autodiff.ops import reduce as red
from autodiff.ops.index import slice_of
from autodiff.ops.logsumexp import logsumexp
from autodiff.ops.shape import reshape, sum_axes, with_ones
from autodiff.trace.tape import Equation, Literal, Operand, Tape

Axes = tuple[int, ...]


def along(builder: Builder, reduced: Operand, x: Operand, axes: Axes) -> Operand:
    """What belongs to a reduction, in a shape that broadcasts against the operand's."""
    return builder.emit(reshape, reduced, shape=with_ones(builder.spec(x).shape, axes))


def typed(builder: Builder, value: float, x: Operand) -> Literal:
    """A number of the dtype of an operand."""
    return Literal(builder.spec(x).dtype.type(value))


def compiled(builder: Builder, x: Operand) -> bool:
    """Whether kernels know the dtype."""
    spec = builder.spec(x)
    return spec.dtype.kind == "f" and spec.dtype.itemsize in (4, 8) and 0 not in spec.shape and spec.kind == "array"


def expand_softmax(builder: Builder, equation: Equation) -> Operand | None:
    (x,) = equation.operands
    axes = dict(equation.params)["axes"]
    if not compiled(builder, x):
        return None
    top = along(builder, builder.emit(red.max_axes, x, axes=axes), x, axes)
    grown = builder.emit(ew.exp, builder.emit(ew.subtract, x, top))
    return builder.emit(ew.divide, grown, along(builder, builder.emit(sum_axes, grown, axes=axes), x, axes))


def expand_log_softmax(builder: Builder, equation: Equation) -> Operand | None:
    (x,) = equation.operands
    axes = dict(equation.params)["axes"]
    if not compiled(builder, x):
        return None
    top = builder.emit(red.max_axes, x, axes=axes)
    finite = builder.emit(ew.where, builder.emit(ew.isfinite, top), top, typed(builder, 0, x))
    below = builder.emit(ew.subtract, x, along(builder, finite, x, axes))
    total = builder.emit(sum_axes, builder.emit(ew.exp, below), axes=axes)
    return builder.emit(ew.subtract, below, along(builder, builder.emit(ew.log, total), x, axes))


def expand_logsumexp(builder: Builder, equation: Equation) -> Operand | None:
    (x,) = equation.operands
    axes = dict(equation.params)["axes"]
    if not compiled(builder, x):
        return None
    if len(axes) == builder.spec(x).ndim and equation.specs[0].kind != "array":  # as a row of a matrix
        row = builder.emit(reshape, x, shape=(1, builder.spec(x).size))
        return builder.emit(slice_of, builder.emit(logsumexp, row, axes=(-1,)), key=(0,))
    zero, one = typed(builder, 0, x), typed(builder, 1, x)
    top = builder.emit(red.max_axes, x, axes=axes)
    high = along(builder, top, x, axes)
    largest = builder.emit(ew.equal, x, high)
    grown = builder.emit(ew.exp, builder.emit(ew.subtract, x, high))
    rest = builder.emit(sum_axes, builder.emit(ew.where, largest, zero, grown), axes=axes)
    count = builder.emit(sum_axes, builder.emit(ew.where, largest, one, zero), axes=axes)
    total = builder.emit(ew.log1p, builder.emit(ew.divide, rest, count))
    total = builder.emit(ew.add, builder.emit(ew.add, total, builder.emit(ew.log, count)), top)
    infinite = builder.emit(ew.equal, builder.emit(ew.absolute, top), typed(builder, inf, x))
    found = builder.emit(ew.where, infinite, top, total)
    wanted = equation.specs[0]
    return found if builder.spec(found) == wanted else builder.emit(reshape, found, shape=wanted.shape)


def expand_sum_where(builder: Builder, equation: Equation) -> Operand | None:
    x, mask = equation.operands
    params = dict(equation.params)
    if not compiled(builder, x) or params["dtype"] != builder.spec(x).dtype:
        return None
    kept = builder.emit(ew.where, mask, x, typed(builder, 0, x))
    return builder.emit(sum_axes, kept, axes=params["axes"])


EXPANSIONS: Rules = {
    "softmax": (expand_softmax,),
    "log_softmax": (expand_log_softmax,),
    "logsumexp": (expand_logsumexp,),
    "sum_where": (expand_sum_where,),
}


def expand(tape: Tape) -> Tape:
    """The tape with such operations in terms of simpler ones."""
    return rewrite(tape, EXPANSIONS, merge=True)


__all__: list[Any] = ["EXPANSIONS", "expand"]
