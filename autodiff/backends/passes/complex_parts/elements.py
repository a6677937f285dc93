"""Parts of complex numbers, arithmetic, choices and comparisons, by the formulas of NumPy."""

from __future__ import annotations

from functools import partial

from autodiff.backends.passes.complex_parts.conversion import (
    HANDLERS,
    ZERO,
    Conversion,
    Found,
    Parts,
    in_parts,
    is_complex,
    real_spec,
)
from autodiff.ops.elementwise import (
    absolute,
    add,
    divide,
    equal,
    greater_equal,
    hypot,
    isfinite,
    isinf,
    isnan,
    logical_and,
    logical_or,
    multiply,
    negative,
    not_equal,
    positive,
    straight_where,
    subtract,
    where,
)
from autodiff.trace.primitive import Primitive
from autodiff.trace.tape import Equation, Literal, Operand

ONE = Literal(1.0)


@in_parts("real")
def of_real(c: Conversion, equation: Equation) -> Found:
    """The first part."""
    return c.parts(equation.operands[0]).real


@in_parts("imag")
def of_imag(c: Conversion, equation: Equation) -> Found:
    """The second part."""
    return c.parts(equation.operands[0]).imag


@in_parts("from_parts")
def of_parts(c: Conversion, equation: Equation) -> Found | None:
    """The operands, along all axes of the result."""
    if any(is_complex(c.spec(operand)) for operand in equation.operands):
        return None
    own = real_spec(equation.specs[0])
    x, y = (c.spread(c.typed(c.whole(operand), own.dtype), own) for operand in equation.operands)
    return Parts(x, y)


@in_parts("conjugate")
def of_conjugate(c: Conversion, equation: Equation) -> Found:
    """x - iy."""
    x, y = c.parts(equation.operands[0])
    return Parts(x, c.emit(negative, y))


def of_sign(primitive: Primitive, c: Conversion, equation: Equation) -> Found:
    """An operation of one operand on both of its parts."""
    x, y = c.parts(equation.operands[0])
    return Parts(c.emit(primitive, x), c.emit(primitive, y))


HANDLERS["negative"] = partial(of_sign, negative)
HANDLERS.update(dict.fromkeys(("positive", "stop_gradient"), partial(of_sign, positive)))


@in_parts("cast")
def of_cast(c: Conversion, equation: Equation) -> Found | None:
    """The parts in another precision; NumPy warns where it drops one."""
    own = real_spec(equation.specs[0])
    if not is_complex(equation.specs[0]):
        return None
    x, y = c.numbers(equation.operands[0], own.dtype)
    return Parts(x, c.spread(y, own))


def of_sum(primitive: Primitive, c: Conversion, equation: Equation) -> Found:
    """A sum or difference of the real parts, and of the imaginary ones."""
    (a, b), (x, y) = c.typed_parts(equation)
    own = real_spec(equation.specs[0])
    return Parts(c.spread(c.emit(primitive, a, x), own), c.spread(c.emit(primitive, b, y), own))


HANDLERS["add"], HANDLERS["subtract"] = partial(of_sum, add), partial(of_sum, subtract)


@in_parts("multiply")
def of_multiply(c: Conversion, equation: Equation) -> Found:
    """(a + ib)(x + iy)."""
    one, other = c.typed_parts(equation)
    return product(c, one, other)


@in_parts("square")
def of_square(c: Conversion, equation: Equation) -> Found:
    """(x + iy)²."""
    (z,) = c.typed_parts(equation)
    return product(c, z, z)


def product(c: Conversion, one: Parts, other: Parts) -> Parts:
    """ax - by + i(ay + bx)."""
    (a, b), (x, y) = one, other
    return Parts(
        c.emit(subtract, c.emit(multiply, a, x), c.emit(multiply, b, y)),
        c.emit(add, c.emit(multiply, a, y), c.emit(multiply, b, x)),
    )


@in_parts("divide")
def of_divide(c: Conversion, equation: Equation) -> Found | None:
    """Divided by the larger part of the divisor first (R. L. Smith, 1962), as NumPy does."""
    if equation.specs[0].kind == "python":
        return None  # Python raises where it divides by zero
    (a, b), (x, y) = c.typed_parts(equation)
    if y == ZERO:
        nothing, larger, ratio = c.emit(equal, x, ZERO), x, c.emit(divide, ZERO, x)
        length, real, imag = x, plus(c, a, b, ratio), minus(c, b, a, ratio)
    else:
        first = c.emit(greater_equal, c.emit(absolute, x), c.emit(absolute, y))
        larger, smaller = c.choose(first, x, y), c.choose(first, y, x)
        nothing = c.emit(logical_and, first, c.emit(equal, larger, ZERO))
        ratio = c.emit(divide, smaller, larger)
        length = plus(c, larger, smaller, ratio)
        real = plus(c, c.choose(first, a, b), c.choose(first, b, a), ratio)
        imag = c.choose(first, minus(c, b, a, ratio), c.emit(subtract, c.emit(multiply, b, ratio), a))
    scale = c.emit(divide, ONE, c.choose(nothing, c.emit(absolute, larger), length))
    return Parts(*(c.emit(multiply, c.choose(nothing, p, q), scale) for p, q in ((a, real), (b, imag))))


def plus(c: Conversion, x: Operand, y: Operand, ratio: Operand) -> Operand:
    """x + y ratio."""
    return c.emit(add, x, c.emit(multiply, y, ratio))


def minus(c: Conversion, x: Operand, y: Operand, ratio: Operand) -> Operand:
    """x - y ratio."""
    return c.emit(subtract, x, c.emit(multiply, y, ratio))


@in_parts("reciprocal")
def of_reciprocal(c: Conversion, equation: Equation) -> Found:
    """1 / (x + iy), likewise."""
    ((x, y),) = c.typed_parts(equation)
    first = c.emit(greater_equal, c.emit(absolute, x), c.emit(absolute, y))
    larger, smaller = c.choose(first, x, y), c.choose(first, y, x)
    ratio = c.emit(divide, smaller, larger)
    length = c.emit(add, larger, c.emit(multiply, smaller, ratio))
    whole, part = c.emit(divide, ONE, length), c.emit(divide, ratio, length)
    return Parts(c.choose(first, whole, part), c.emit(negative, c.choose(first, part, whole)))


@in_parts("absolute")
def of_absolute(c: Conversion, equation: Equation) -> Found:
    """The length, without overflow on the way."""
    return c.emit(hypot, *c.parts(equation.operands[0]))


@in_parts("where")
def of_where(c: Conversion, equation: Equation) -> Found | None:
    """The parts of what is chosen."""
    if is_complex(c.spec(equation.operands[0])):
        return None
    condition, own = c.whole(equation.operands[0]), real_spec(equation.specs[0])
    (a, b), (x, y) = (c.numbers(operand, own.dtype) for operand in equation.operands[1:])
    return Parts(c.emit(where, condition, a, x), c.spread(c.emit(where, condition, b, y), own))


@in_parts("straight_where")
def of_straight_where(c: Conversion, equation: Equation) -> Found | None:
    """The same with zero for the other choice."""
    if is_complex(c.spec(equation.operands[0])):
        return None
    condition = c.whole(equation.operands[0])
    x, y = c.numbers(equation.operands[1], real_spec(equation.specs[0]).dtype)
    return Parts(c.emit(straight_where, condition, x), c.emit(straight_where, condition, y))


def of_question(question: Primitive, together: Primitive, c: Conversion, equation: Equation) -> Found:
    """What is asked of the real parts, and of the imaginary ones, together."""
    found = [c.parts(operand) for operand in equation.operands]
    answers = [c.emit(question, *operands) for operands in zip(*found, strict=True)]
    return c.emit(together, *answers)


HANDLERS.update(
    equal=partial(of_question, equal, logical_and),
    not_equal=partial(of_question, not_equal, logical_or),
    isnan=partial(of_question, isnan, logical_or),
    isinf=partial(of_question, isinf, logical_or),
    isfinite=partial(of_question, isfinite, logical_and),
)
