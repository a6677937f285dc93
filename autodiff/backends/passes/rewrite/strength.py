"""Dear operations replaced by cheap ones. Results may move by the ulps that each rule states."""

from __future__ import annotations

from math import prod

from autodiff.backends.passes.rewrite.bounds import lower_bound
from autodiff.backends.passes.rewrite.literals import floating, number
from autodiff.backends.passes.rewrite.patterns import exponential_beside_one, is_one, unshaped
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.backends.passes.rewrite.shapes import repeated
from autodiff.ops.elementwise import divide, logistic, multiply, square
from autodiff.ops.shape import reshape
from autodiff.trace.tape import Equation, Literal, Operand

ONE = Literal(1.0)

FEW = 2**11
"""So many equal numbers are added exactly in every format."""

MUCH = 4
"""So much smaller must a divisor be than the dividend, if its inverse shall be an array."""


def divide_again(builder: Builder, equation: Equation) -> Operand | None:
    """x / y is x * (1 / y), where 1 / y is there already and y at least 1: 1.5 ulps, 4 where 1 / y is denormal.

    Derivatives of quotients divide by what the function has divided by.
    """
    x, y = equation.operands
    out = equation.specs[0]
    if number(x) is not None or not isinstance(y, int) or not floating(builder, equation):
        return None
    own = builder.spec(y)
    if own.dtype != out.dtype or own.kind == "python" or lower_bound(builder, y) < 1:
        return None
    inverse = builder.done(divide, ONE, y, like=own if own.shape else divide.spec(builder.spec(ONE), own))
    return None if inverse is None else builder.emit(multiply, x, inverse)


def small_power(builder: Builder, equation: Equation) -> Operand | None:
    """x ** 3, x ** 4 and 1 / x without the power function: 2 ulps. Neither overflows or vanishes before the result.

    z ** 2 of complex numbers is the square, as NumPy's operator has it; its power function multiplies in another way.
    """
    x, y = equation.operands
    value, own = number(y), equation.specs[0]
    if builder.spec(x) != own:
        return None
    if value == 2 and own.dtype.kind == "c" and own.kind == "array":
        return builder.emit(square, x)
    if value not in (3, 4, -1) or not floating(builder, equation):
        return None
    if value == -1:
        return builder.emit(divide, ONE, x)
    squared = builder.emit(square, x)
    return builder.emit(multiply, squared, x) if value == 3 else builder.emit(square, squared)


def sum_of_repeated(builder: Builder, equation: Equation) -> Operand | None:
    """A sum along axes along which the elements are repeated is a product with their number: 1 ulp."""
    x = equation.operands[0]
    axes: tuple[int, ...] = dict(equation.params)["axes"]
    inner = builder.made(x, "broadcast_to")
    out = equation.specs[0]
    if inner is None or not axes or not floating(builder, equation) or builder.spec(x).dtype != out.dtype:
        return None
    shape, source = builder.spec(x).shape, inner.operands[0]
    own = builder.spec(source)
    count = prod(shape[k] for k in axes)
    if own.kind == "python" or count == 0 or (out.dtype.itemsize < 4 and count > FEW):
        return None
    ones = (1,) * (len(shape) - len(own.shape)) + own.shape
    if any(ones[k] != 1 for k in axes):
        return None
    kept = tuple(length for k, length in enumerate(ones, -len(ones)) if k not in axes)
    element = builder.emit(reshape, source, shape=kept) if kept != own.shape else source
    many = builder.emit(multiply, element, Literal(float(count)))
    return many if builder.spec(many).shape == out.shape else repeated(builder, many, out.shape)


def hand_written_logistic(builder: Builder, equation: Equation) -> Operand | None:
    """1 / (1 + exp(-x)) is one operation, where nothing else reads its parts. NumPy gives the same bits for it."""
    one, y = equation.operands
    grown = exponential_beside_one(builder, y)
    if not is_one(one) or grown is None or equation.specs[0].dtype.itemsize < 4:
        return None
    inner = builder.made(grown.operands[0], "negative")
    if inner is None or not builder.used_once(y) or not builder.used_once(grown.results[0]):
        return None
    return builder.emit(logistic, inner.operands[0])


def divide_rows(builder: Builder, equation: Equation) -> Operand | None:
    """x / y is x * (1 / y) where y is much smaller than x: 1.5 ulps, 4 where 1 / y is denormal.

    It must be sure that 1 / y overflows only where x / y does: for y at least 1, and for roots.
    """
    x, y = equation.operands
    out = equation.specs[0]
    if not isinstance(y, int) or not floating(builder, equation) or out.dtype != builder.spec(x).dtype:
        return None
    own = builder.spec(y)
    if own.dtype != out.dtype or own.kind == "python" or MUCH * own.size > out.size or out.dtype.itemsize < 4:
        return None
    if builder.made(unshaped(builder, y), "sqrt") is None and lower_bound(builder, y) < 1:
        return None
    return builder.emit(multiply, x, builder.emit(divide, ONE, y))


STRENGTH: Rules = {
    "divide": (hand_written_logistic, divide_again, divide_rows),
    "power": (small_power,),
    "sum": (sum_of_repeated,),
}
