"""Complex operations on single elements, by the formulas of NumPy and of C."""

from __future__ import annotations

import math

from autodiff.backends.passes.complex_parts.conversion import (
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
    arctan2,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    greater,
    greater_equal,
    hypot,
    isfinite,
    isinf,
    isnan,
    less,
    log,
    log1p,
    logical_and,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    positive,
    sin,
    sinh,
    sqrt,
    straight_where,
    subtract,
    where,
)
from autodiff.trace.primitive import Primitive
from autodiff.trace.tape import Equation, Literal, Operand

ONE, HALF = Literal(1.0), Literal(0.5)

LARGE_EXPONENT = {8: 709.0, 4: 88.0}
"""Exponents up to which exp is finite, by the bytes of a part: larger ones are taken in two steps."""

LARGE_TANH = {8: 19.0, 4: 9.0}
"""From where on tanh is one but for a few units in the last place, by the bytes of a part."""

MOST_PRODUCTS = 100
"""NumPy multiplies for whole exponents below this."""


# fmt: off
@in_parts("real")
def of_real(c: Conversion, equation: Equation) -> Found:
    return c.parts(equation.operands[0]).real


@in_parts("imag")
def of_imag(c: Conversion, equation: Equation) -> Found:
    return c.parts(equation.operands[0]).imag
# fmt: on


@in_parts("from_parts")
def of_parts(c: Conversion, equation: Equation) -> Found | None:
    own = real_spec(equation.specs[0])
    values = [c.value(operand) for operand in equation.operands]
    if any(isinstance(value, Parts) for value in values):
        return None
    x, y = (c.spread(c.typed(value, own.dtype), own) for value in values if not isinstance(value, Parts))
    return Parts(x, y)


@in_parts("conjugate")
def of_conjugate(c: Conversion, equation: Equation) -> Found:
    x, y = c.parts(equation.operands[0])
    return Parts(x, c.emit(negative, y))


@in_parts("negative")
def of_negative(c: Conversion, equation: Equation) -> Found:
    x, y = c.parts(equation.operands[0])
    return Parts(c.emit(negative, x), c.emit(negative, y))


@in_parts("positive", "stop_gradient")
def of_itself(c: Conversion, equation: Equation) -> Found:
    x, y = c.parts(equation.operands[0])
    return Parts(c.emit(positive, x), c.emit(positive, y))


@in_parts("cast")
def of_cast(c: Conversion, equation: Equation) -> Found | None:
    own = real_spec(equation.specs[0])
    if own is equation.specs[0]:
        return None  # NumPy warns that it drops a part
    x, y = c.parts(equation.operands[0])
    if isinstance(x, Literal):
        x = Literal(own.dtype.type(x.value))
    return Parts(c.typed(x, own.dtype), c.spread(y if y == ZERO else c.typed(y, own.dtype), own))


@in_parts("add")
def of_add(c: Conversion, equation: Equation) -> Found:
    return each(c, equation, add)


@in_parts("subtract")
def of_subtract(c: Conversion, equation: Equation) -> Found:
    return each(c, equation, subtract)


def each(c: Conversion, equation: Equation, primitive: Primitive) -> Parts:
    """An operation on the real parts, and on the imaginary ones."""
    (a, b), (x, y) = c.typed_parts(equation)
    own = real_spec(equation.specs[0])
    return Parts(c.spread(c.emit(primitive, a, x), own), c.spread(c.emit(primitive, b, y), own))


@in_parts("multiply")
def of_multiply(c: Conversion, equation: Equation) -> Found:
    (a, b), (x, y) = c.typed_parts(equation)
    return product(c, Parts(a, b), Parts(x, y))


@in_parts("square")
def of_square(c: Conversion, equation: Equation) -> Found:
    (parts,) = c.typed_parts(equation)
    return product(c, parts, parts)


def product(c: Conversion, one: Parts, other: Parts) -> Parts:
    """(a + ib)(x + iy)."""
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
        ratio = c.choose(c.emit(equal, x, ZERO), ZERO, c.emit(divide, ZERO, x))
        scale = c.emit(divide, ONE, c.choose(c.emit(equal, x, ZERO), c.emit(absolute, x), x))
        p, q, r = a, b, c.emit(subtract, b, c.emit(multiply, a, ratio))
    else:
        first = c.emit(greater_equal, c.emit(absolute, x), c.emit(absolute, y))
        larger, smaller = c.choose(first, x, y), c.choose(first, y, x)
        nothing = c.emit(equal, larger, ZERO)
        ratio = c.choose(nothing, ZERO, c.emit(divide, smaller, larger))
        length = c.emit(add, larger, c.emit(multiply, smaller, ratio))
        scale = c.emit(divide, ONE, c.choose(nothing, c.emit(absolute, larger), length))
        p, q = c.choose(first, a, b), c.choose(first, b, a)
        r = c.choose(
            first,
            c.emit(subtract, b, c.emit(multiply, a, ratio)),
            c.emit(subtract, c.emit(multiply, b, ratio), a),
        )
    return Parts(c.emit(multiply, c.emit(add, p, c.emit(multiply, q, ratio)), scale), c.emit(multiply, r, scale))


@in_parts("reciprocal")
def of_reciprocal(c: Conversion, equation: Equation) -> Found:
    ((x, y),) = c.typed_parts(equation)
    first = c.emit(greater_equal, c.emit(absolute, x), c.emit(absolute, y))
    larger, smaller = c.choose(first, x, y), c.choose(first, y, x)
    ratio = c.emit(divide, smaller, larger)
    length = c.emit(add, larger, c.emit(multiply, smaller, ratio))
    whole, part = c.emit(divide, ONE, length), c.emit(divide, ratio, length)
    return Parts(c.choose(first, whole, part), c.emit(negative, c.choose(first, part, whole)))


@in_parts("absolute")
def of_absolute(c: Conversion, equation: Equation) -> Found:
    return c.emit(hypot, *c.parts(equation.operands[0]))


@in_parts("where")
def of_where(c: Conversion, equation: Equation) -> Found | None:
    if is_complex(c.spec(equation.operands[0])):
        return None
    condition, own = c.whole(equation.operands[0]), real_spec(equation.specs[0])
    (a, b), (x, y) = (c.numbers(operand, own.dtype) for operand in equation.operands[1:])
    return Parts(c.emit(where, condition, a, x), c.spread(c.emit(where, condition, b, y), own))


@in_parts("straight_where")
def of_straight_where(c: Conversion, equation: Equation) -> Found | None:
    if is_complex(c.spec(equation.operands[0])):
        return None
    condition = c.whole(equation.operands[0])
    x, y = c.numbers(equation.operands[1], real_spec(equation.specs[0]).dtype)
    return Parts(c.emit(straight_where, condition, x), c.emit(straight_where, condition, y))


# Comparisons.


@in_parts("equal")
def of_equal(c: Conversion, equation: Equation) -> Found:
    return both(c, equation, equal, logical_and)


@in_parts("not_equal")
def of_not_equal(c: Conversion, equation: Equation) -> Found:
    return both(c, equation, not_equal, logical_or)


@in_parts("isnan")
def of_isnan(c: Conversion, equation: Equation) -> Found:
    return both(c, equation, isnan, logical_or)


@in_parts("isinf")
def of_isinf(c: Conversion, equation: Equation) -> Found:
    return both(c, equation, isinf, logical_or)


@in_parts("isfinite")
def of_isfinite(c: Conversion, equation: Equation) -> Found:
    return both(c, equation, isfinite, logical_and)


def both(c: Conversion, equation: Equation, question: Primitive, together: Primitive) -> Operand:
    """What is asked of the real parts, and of the imaginary ones, together."""
    found = [c.parts(operand) for operand in equation.operands]
    answers = [c.emit(question, *operands) for operands in zip(*found, strict=True)]
    return c.emit(together, *answers)


# Functions.


@in_parts("exp")
def of_exp(c: Conversion, equation: Equation) -> Found:
    """exp(x)(cos(y) + i sin(y)); where exp(x) overflows it is taken in two steps, and a zero y stays zero."""
    (parts,) = c.typed_parts(equation)
    return exponential(c, parts, equation.specs[0].dtype.itemsize // 2)


def exponential(c: Conversion, z: Parts, itemsize: int) -> Parts:
    """exp(z), of parts of so many bytes."""
    x, y = z
    most = Literal(LARGE_EXPONENT[itemsize])
    large = c.emit(logical_and, c.emit(greater, x, most), c.emit(isfinite, x))
    size = c.emit(exp, c.choose(large, c.emit(subtract, x, most), x))
    again = c.choose(large, Literal(math.exp(most.value)), ONE)
    nothing = c.emit(equal, x, Literal(-math.inf))
    cosine, sine = (c.choose(nothing, ZERO, c.emit(function, y)) for function in (cos, sin))
    return Parts(
        c.emit(multiply, c.emit(multiply, size, cosine), again),
        c.choose(c.emit(equal, y, ZERO), y, c.emit(multiply, c.emit(multiply, size, sine), again)),
    )


@in_parts("log")
def of_log(c: Conversion, equation: Equation) -> Found:
    """log|z| + i arg(z); near |z| = 1 from |z|² - 1, the difference of which is that of the larger part."""
    (parts,) = c.typed_parts(equation)
    return logarithm(c, parts)


def logarithm(c: Conversion, z: Parts) -> Parts:
    """log(z)."""
    x, y = z
    a, b = c.emit(absolute, x), c.emit(absolute, y)
    large, small = c.emit(maximum, a, b), c.emit(minimum, a, b)
    below = c.emit(multiply, c.emit(subtract, large, ONE), c.emit(add, large, ONE))
    near = c.emit(logical_and, c.emit(greater, large, HALF), c.emit(less, large, Literal(2.0)))
    squares = c.choose(near, c.emit(add, below, c.emit(multiply, small, small)), ZERO)
    length = c.emit(log, c.emit(hypot, x, y))
    size = c.choose(near, c.emit(multiply, HALF, c.emit(log1p, squares)), length)
    return Parts(size, c.emit(arctan2, y, x))


@in_parts("sqrt")
def of_sqrt(c: Conversion, equation: Equation) -> Found:
    """The root of the larger of (|z| + |x|) / 2 first, the other part by a quotient; its real part is not negative."""
    ((x, y),) = c.typed_parts(equation)
    long = c.emit(sqrt, c.emit(multiply, HALF, c.emit(add, c.emit(hypot, x, y), c.emit(absolute, x))))
    nothing = c.emit(equal, long, ZERO)
    short = c.emit(multiply, HALF, c.emit(divide, c.emit(absolute, y), c.choose(nothing, ONE, long)))
    short = c.choose(c.emit(isinf, y), long, short)
    right = c.emit(greater_equal, x, ZERO)
    return Parts(
        c.choose(right, long, short),
        c.emit(copysign, c.choose(right, short, long), y),
    )


@in_parts("cosh")
def of_cosh(c: Conversion, equation: Equation) -> Found:
    """cosh(x) cos(y) + i sinh(x) sin(y)."""
    ((x, y),) = c.typed_parts(equation)
    return Parts(turned(c, cosh, x, cos, y), turned(c, sinh, x, sin, y))


@in_parts("sinh")
def of_sinh(c: Conversion, equation: Equation) -> Found:
    """sinh(x) cos(y) + i cosh(x) sin(y)."""
    ((x, y),) = c.typed_parts(equation)
    return Parts(turned(c, sinh, x, cos, y), turned(c, cosh, x, sin, y))


@in_parts("cos")
def of_cos(c: Conversion, equation: Equation) -> Found:
    """cos(x) cosh(y) - i sin(x) sinh(y)."""
    ((x, y),) = c.typed_parts(equation)
    return Parts(turned(c, cosh, y, cos, x), c.emit(negative, turned(c, sinh, y, sin, x)))


@in_parts("sin")
def of_sin(c: Conversion, equation: Equation) -> Found:
    """sin(x) cosh(y) + i cos(x) sinh(y)."""
    ((x, y),) = c.typed_parts(equation)
    return Parts(turned(c, cosh, y, sin, x), turned(c, sinh, y, cos, x))


def turned(c: Conversion, size: Primitive, x: Operand, angle: Primitive, y: Operand) -> Operand:
    """A product of a function that grows and one that turns: zero where one of them is, whatever the other."""
    grown, turn = c.emit(size, x), c.emit(angle, y)
    if size is sinh:
        turn = c.choose(c.emit(equal, x, ZERO), ONE, turn)
    if angle is sin:
        grown = c.choose(c.emit(equal, y, ZERO), ONE, grown)
    return c.emit(multiply, grown, turn)


@in_parts("tanh")
def of_tanh(c: Conversion, equation: Equation) -> Found:
    """(sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)² + cos(y)²); far from zero the limit, and how far it is from it."""
    ((x, y),) = c.typed_parts(equation)
    most = Literal(LARGE_TANH[equation.specs[0].dtype.itemsize // 2])
    far = c.emit(greater, c.emit(absolute, x), most)
    near = c.choose(far, ONE, x)
    grown, across, along = c.emit(sinh, near), c.emit(cos, y), c.emit(sin, y)
    below = c.emit(add, c.emit(multiply, grown, grown), c.emit(multiply, across, across))
    turn = c.emit(multiply, along, across)
    rest = c.emit(multiply, Literal(4.0), c.emit(exp, c.emit(multiply, Literal(-2.0), c.emit(absolute, x))))
    return Parts(
        c.choose(far, c.emit(copysign, ONE, x), c.emit(divide, c.emit(multiply, grown, c.emit(cosh, near)), below)),
        c.choose(far, c.emit(multiply, turn, rest), c.emit(divide, turn, below)),
    )


@in_parts("power")
def of_power(c: Conversion, equation: Equation) -> Found | None:
    """Repeated products for whole exponents that stand in the tape, exp(w log(z)) for others; powers of zero are zero."""
    _, exponent = equation.operands
    z, w = c.typed_parts(equation)
    if isinstance(exponent, Literal):
        number = complex(exponent.value)
        if number.imag == 0 and number.real.is_integer() and 0 < number.real < MOST_PRODUCTS:
            return repeated(c, z, int(number.real))
        if number.imag != 0 or number.real <= 0:
            return None  # of zero it is no number, which NumPy says by a warning
        x, y = exponential(c, product(c, w, logarithm(c, z)), equation.specs[0].dtype.itemsize // 2)
        nothing = c.emit(logical_and, c.emit(equal, z.real, ZERO), c.emit(equal, z.imag, ZERO))
        return Parts(c.choose(nothing, ZERO, x), c.choose(nothing, ZERO, y))
    return None


def repeated(c: Conversion, z: Parts, count: int) -> Parts:
    """The product of so many times the same number: of its squares, as NumPy makes it."""
    found, power = None, z
    while True:
        if count & 1:
            found = power if found is None else product(c, found, power)
        count >>= 1
        if not count:
            assert found is not None
            return found
        power = product(c, power, power)
