"""What softmax and its kin compute twice: exp(x - log(s)) where exp(x) and s are there, and sums of one element."""

from __future__ import annotations

from autodiff.backends.passes.rewrite.patterns import never_above_zero, summed_exponential
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops import elementwise as ew
from autodiff.ops.shape import reshape, sum_axes, transpose
from autodiff.trace.tape import Equation, Operand


def exponential_of_difference(builder: Builder, equation: Equation) -> Operand | None:
    """exp(x - log(s)) as exp(x) / s, where s is the sum of exp(x) and no x is positive.

    Of other x and s exp(x) overflows or vanishes where the share of it is a number.
    """
    difference = builder.made(equation.operands[0], "subtract")
    if difference is None:
        return None
    x, logarithm = difference.operands
    known = builder.done(ew.exp, x, like=equation.specs[0])
    if known is None or not never_above_zero(builder, x):
        return None
    spread = builder.made(logarithm, "reshape")
    made = builder.made(logarithm if spread is None else spread.operands[0], "log")
    if made is None:
        return None
    total = made.operands[0]
    terms = summed_exponential(builder, total)
    if terms is None or terms[0].operands[0] != x:
        return None
    if spread is not None:
        total = builder.emit(reshape, total, shape=dict(spread.params)["shape"])
    return builder.emit(ew.divide, known, total)


def sum_of_placed(builder: Builder, equation: Equation) -> Operand | None:
    """The sum of rows of zeros with one element in each: that element."""
    placed = builder.made(equation.operands[0], "place")
    if placed is None or dict(equation.params)["axes"] != (-1,):
        return None
    value = placed.operands[0]
    shape = builder.spec(value).shape
    if dict(placed.params)["axis"] != -1 or shape[-1] != 1 or len(shape) < 2:
        return None
    return builder.emit(reshape, value, shape=shape[:-1])


def sum_of_transposed(builder: Builder, equation: Equation) -> Operand | None:
    """The sum of an array with its axes in another order: of the array itself, along those axes."""
    moved = builder.made(equation.operands[0], "transpose")
    if moved is None or not builder.used_once(equation.operands[0]):
        return None
    order, axes = dict(moved.params)["axes"], dict(equation.params)["axes"]
    ndim = builder.spec(moved.operands[0]).ndim
    if len(order) != ndim or len(axes) == ndim:
        return None
    source = tuple(order[axis % ndim] % ndim - ndim for axis in axes)
    kept = [order[axis] % ndim for axis in range(ndim) if axis - ndim not in axes]
    summed = builder.emit(sum_axes, moved.operands[0], axes=tuple(sorted(source)))
    places = sorted(kept)
    if kept == places:
        return summed
    return builder.emit(transpose, summed, axes=tuple(places.index(axis) - len(kept) for axis in kept))


SHARES: Rules = {"exp": (exponential_of_difference,), "sum": (sum_of_placed, sum_of_transposed)}
