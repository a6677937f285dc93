"""Operations that are one piece for NumPy, written out for kernels: taken apart, they fuse with what is around."""

from __future__ import annotations

from math import factorial, inf, perm, pi, prod
from typing import Any

import numpy as np

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules, rewrite
from autodiff.ops import elementwise as ew
from autodiff.ops.index import put, slice_of
from autodiff.ops.join import concatenate, roll
from autodiff.ops.matrices.einsum import split
from autodiff.ops.reductions import reduce as red
from autodiff.ops.reductions.cumulative import cumsum
from autodiff.ops.reductions.logsumexp import logsumexp
from autodiff.ops.reductions.sort import argsort, partition_sorts
from autodiff.ops.shape import broadcast_to, reshape, sum_axes, transpose, with_ones
from autodiff.trace.tape import Equation, Literal, Operand, Tape

Axes = tuple[int, ...]

MOST_DECIMALS = 22
"""Powers of ten up to this one are numbers of double precision."""

MOST_DERIVATIVES = 4
"""Derivatives of sin(t) / t are written out up to this one."""

CUTS = (None, 1, None), (1, None, None), (None, -1, None)
"""The first element, those from the second on, and all but the last."""

SMALL_SUM = 4096
"""Einstein sums of so many products are written out, and those of as many as an operand has elements; others are
products of matrices, or NumPy's."""


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
    most = np.finfo(builder.spec(x).dtype).max  # below an infinite maximum finite numbers have exponentials, too
    top = builder.emit(ew.maximum, builder.emit(red.max_axes, x, axes=axes), typed(builder, -most, x))
    finite = builder.emit(ew.minimum, top, typed(builder, most, x))
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


def expand_logaddexp(builder: Builder, equation: Equation) -> Operand | None:
    """log(sum(exp(x))) with the largest element taken out; where that is infinite it is the result."""
    (x,) = equation.operands
    axes = dict(equation.params)["axes"]
    if not compiled(builder, x) or equation.specs[0].dtype != builder.spec(x).dtype:
        return None
    top = builder.emit(red.max_axes, x, axes=axes)
    finite = builder.emit(ew.where, builder.emit(ew.isfinite, top), top, typed(builder, 0, x))
    grown = builder.emit(ew.exp, builder.emit(ew.subtract, x, along(builder, finite, x, axes)))
    total = builder.emit(ew.log, builder.emit(sum_axes, grown, axes=axes))
    return builder.emit(ew.add, total, finite)


def expand_round(builder: Builder, equation: Equation) -> Operand | None:
    """Whole numbers of so many decimals, in the order of operations that NumPy has."""
    (x,) = equation.operands
    decimals = dict(equation.params)["decimals"]
    if builder.spec(x).dtype.name not in ("float32", "float64") or abs(decimals) > MOST_DECIMALS:
        return None
    scale = typed(builder, 10.0 ** abs(decimals), x)
    first, last = (ew.multiply, ew.divide) if decimals > 0 else (ew.divide, ew.multiply)
    scaled = builder.emit(first, x, scale) if decimals else x
    found = builder.emit(ew.rint, scaled)
    found = builder.emit(last, found, scale) if decimals else found
    return found if builder.spec(found) == equation.specs[0] else None


def expand_cross(builder: Builder, equation: Equation) -> Operand | None:
    """Differences of products of the elements moved round."""
    x, y = equation.operands
    if any(builder.spec(o).shape[-1:] != (3,) or builder.spec(o).dtype.kind != "f" for o in (x, y)):
        return None

    def turned(operand: Operand, shift: int) -> Operand:
        return builder.emit(roll, operand, shifts=(shift,), axes=(-1,))

    one = builder.emit(ew.multiply, turned(x, -1), turned(y, 1))
    other = builder.emit(ew.multiply, turned(x, 1), turned(y, -1))
    return builder.emit(ew.subtract, one, other)


def expand_roll(builder: Builder, equation: Equation) -> Operand | None:
    """Two slices put together in the other order, for each axis."""
    (x,), params = equation.operands, dict(equation.params)
    if builder.spec(x).dtype.kind not in "biuf" or 0 in builder.spec(x).shape:
        return None
    for shift, axis in zip(params["shifts"], params["axes"], strict=True):
        length = builder.spec(x).shape[axis]
        place = -shift % length
        if place:
            rest = ((None, None, None),) * (-axis - 1)
            parts = [builder.emit(slice_of, x, key=(cut, *rest)) for cut in ((place, None, None), (None, place, None))]
            x = builder.emit(concatenate, *parts, axis=axis, ends=(length - place, length))
    return x


def expand_einsum(builder: Builder, equation: Equation) -> Operand | None:
    """A product over all letters, and a sum over those that the result has not: where it is small, or no larger."""
    terms, out = split(dict(equation.params)["subscripts"])
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, equation.operands, strict=True):
        own = builder.spec(operand)
        if len(set(term)) < len(term) or own.dtype != equation.specs[0].dtype or own.dtype.kind != "f":
            return None
        for letter, length in zip(term, own.shape, strict=True):
            if sizes.setdefault(letter, length) != length:
                return None  # an axis of length one broadcasts
    summed = [letter for letter in sizes if letter not in out]
    whole = [*out, *summed]
    products, largest = prod(sizes.values()), max(builder.spec(operand).size for operand in equation.operands)
    if not all(letter in sizes for letter in out) or (summed and products > max(SMALL_SUM, largest)):
        return None
    found: Operand | None = None
    for term, operand in zip(terms, equation.operands, strict=True):
        order = [letter for letter in whole if letter in term]
        axes = tuple(term.index(letter) - len(term) for letter in order)
        moved = builder.emit(transpose, operand, axes=axes) if order != list(term) else operand
        shape = tuple(sizes[letter] if letter in term else 1 for letter in whole)
        spread_out = builder.emit(reshape, moved, shape=shape) if shape != builder.spec(moved).shape else moved
        found = spread_out if found is None else builder.emit(ew.multiply, found, spread_out)
    if found is None or builder.spec(found).shape != tuple(sizes[letter] for letter in whole):
        return None
    found = builder.emit(sum_axes, found, axes=tuple(range(-len(summed), 0))) if summed else found
    return found if builder.spec(found) == equation.specs[0] else None


def expand_sinc(builder: Builder, equation: Equation) -> Operand | None:
    """sin(t) / t of t = pi x, and the first derivatives: a series near zero, and their recurrence elsewhere."""
    (x,), order = equation.operands, dict(equation.params)["order"]
    if not compiled(builder, x) or order > MOST_DERIVATIVES:
        return None
    own, wide = builder.spec(x).dtype, np.dtype(np.float64)
    if order == 0:
        t = apart(builder, builder.emit(ew.multiply, x, typed(builder, pi, x)))
        return builder.emit(ew.divide, builder.emit(ew.sin, t), t)
    t = builder.emit(ew.multiply, x if own == wide else builder.emit(ew.cast, x, dtype=wide), Literal(wide.type(pi)))
    near = builder.emit(ew.less_equal, builder.emit(ew.absolute, t), Literal(float(order + 1)))
    found = builder.emit(ew.where, near, sinc_near(builder, t, order), sinc_far(builder, apart(builder, t), order))
    found = builder.emit(ew.multiply, found, Literal(pi**order))
    return found if own == wide else builder.emit(ew.cast, found, dtype=own)


def apart(builder: Builder, t: Operand) -> Operand:
    """Numbers to divide by: zero is as good as the smallest step from one."""
    smallest = typed(builder, np.finfo(builder.spec(t).dtype).eps, t)
    return builder.emit(ew.where, builder.emit(ew.equal, t, typed(builder, 0, t)), smallest, t)


def sinc_near(builder: Builder, t: Operand, order: int) -> Operand:
    """The power series of a derivative of sin(t) / t, the smallest terms first."""
    powers = range(order + order % 2, 24 + 4 * order, 2)  # of t in sin(t) / t
    *first, last = [(-1) ** (k // 2) * perm(k, order) / factorial(k + 1) for k in powers]
    square = builder.emit(ew.multiply, t, t)
    total: Operand = Literal(last)
    for coefficient in reversed(first):
        total = builder.emit(ew.add, builder.emit(ew.multiply, total, square), Literal(coefficient))
    return builder.emit(ew.multiply, total, t) if order % 2 else total


def sinc_far(builder: Builder, t: Operand, order: int) -> Operand:
    """The same from t f' = cos(t) - f and its derivatives."""
    value = builder.emit(ew.divide, builder.emit(ew.sin, t), t)
    for n in range(1, order + 1):
        turned = builder.emit(ew.cos if n % 2 else ew.sin, t)  # up to its sign the n-th derivative of the sine
        part = builder.emit(ew.multiply, value, Literal(float(n)))
        over = ew.add if n % 4 in (2, 3) else ew.subtract
        less = builder.emit(over, turned, part)
        if n % 4 in (2, 3):
            less = builder.emit(ew.negative, less)
        value = builder.emit(ew.divide, less, t)
    return value


def expand_unwrap(builder: Builder, equation: Equation) -> Operand | None:
    """Differences brought into a period, and the running sum of what that changes."""
    (x,), params = equation.operands, dict(equation.params)
    axis, period = params["axis"], params["period"]
    spec = builder.spec(x)
    if not compiled(builder, x) or spec.shape[axis] < 2 or equation.specs[0] != spec:
        return None
    rest = ((None, None, None),) * (-axis - 1)
    first, later, before = (builder.emit(slice_of, x, key=(cut, *rest)) for cut in CUTS)
    zero, high, low = (typed(builder, number, x) for number in (0, period / 2, -period / 2))
    jump = builder.emit(ew.subtract, later, before)
    whole = typed(builder, period, x)
    inside = builder.emit(ew.add, builder.emit(ew.remainder, builder.emit(ew.subtract, jump, low), whole), low)
    edge = builder.emit(ew.logical_and, builder.emit(ew.equal, inside, low), builder.emit(ew.greater, jump, zero))
    change = builder.emit(ew.subtract, builder.emit(ew.where, edge, high, inside), jump)
    least = typed(builder, period / 2 if params["discont"] is None else params["discont"], x)
    small = builder.emit(ew.less, builder.emit(ew.absolute, jump), least)
    change = builder.emit(cumsum, builder.emit(ew.where, small, zero, change), axis=axis, reverse=False)
    ends = (1, spec.shape[axis])
    return builder.emit(concatenate, first, builder.emit(ew.add, later, change), axis=axis, ends=ends)


def expand_partition(builder: Builder, equation: Equation) -> Operand | None:
    """The order of short lines is the ascending one."""
    (x,), params = equation.operands, dict(equation.params)
    if not partition_sorts(builder.spec(x), params["axis"], params["kth"]):
        return None
    return builder.emit(argsort, x, axis=params["axis"], kind="stable")


def expand_unwritten(builder: Builder, equation: Equation) -> Operand:
    """Nothing is written where ``put(True, i, False)`` is true."""
    (i,), (out,) = equation.operands, equation.specs
    true: Any = Literal(np.True_)
    false: Any = Literal(np.False_)
    everywhere = builder.emit(broadcast_to, true, shape=out.shape)
    return builder.emit(put, everywhere, i, builder.emit(broadcast_to, false, shape=builder.spec(i).shape))


EXPANSIONS: Rules = {
    "unwritten": (expand_unwritten,),
    "partition_order": (expand_partition,),
    "sinc": (expand_sinc,),
    "unwrap": (expand_unwrap,),
    "logaddexp_axes": (expand_logaddexp,),
    "round": (expand_round,),
    "cross": (expand_cross,),
    "roll": (expand_roll,),
    "einsum": (expand_einsum,),
    "sum_labels": (expand_einsum,),
    "softmax": (expand_softmax,),
    "log_softmax": (expand_log_softmax,),
    "logsumexp": (expand_logsumexp,),
    "sum_where": (expand_sum_where,),
}


def expand(tape: Tape) -> Tape:
    """The tape with such operations in terms of simpler ones."""
    return rewrite(tape, EXPANSIONS, merge=True)


__all__: list[Any] = ["EXPANSIONS", "expand"]
