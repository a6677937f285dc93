"""Functions of complex numbers in terms of those of real ones."""

from __future__ import annotations

import math

from autodiff.backends.passes.complex_parts.conversion import ZERO, Conversion, Found, Parts, in_parts
from autodiff.backends.passes.complex_parts.elements import ONE, product
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
    logical_not,
    maximum,
    minimum,
    multiply,
    negative,
    sin,
    sinh,
    sqrt,
    subtract,
)
from autodiff.trace.primitive import Primitive
from autodiff.trace.tape import Equation, Literal, Operand

HALF = Literal(0.5)

LARGE_EXPONENT = {8: 709.0, 4: 88.0}
"""Exponents up to which exp is finite, by the bytes of a part: larger ones are taken in two steps."""

LARGE_TANH = {8: 19.0, 4: 9.0}
"""From where on tanh is one but for a few units in the last place, by the bytes of a part."""

HUGE = {8: 2.0**1021, 4: 2.0**125}
"""From where on the sum of two lengths overflows, by the bytes of a part."""

TINY = {8: 2.0**-1018, 4: 2.0**-122}
"""Up to where halves of lengths lose digits."""

UP = {8: 2.0**108, 4: 2.0**48}
"""What makes the smallest number a normal one: an even power of two."""

MOST_PRODUCTS = 100
"""NumPy multiplies for whole exponents below this."""


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
    endless = c.emit(logical_and, c.emit(equal, x, Literal(-math.inf)), c.emit(logical_not, c.emit(isfinite, y)))
    cosine = c.choose(endless, ZERO, c.emit(cos, y))
    sine = c.choose(endless, c.emit(copysign, ZERO, y), c.emit(sin, y))
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
    scaled, grown = within_range(c, z, large)
    length = c.emit(subtract, c.emit(log, c.emit(hypot, *scaled)), c.emit(log, grown))
    size = c.choose(near, c.emit(multiply, HALF, c.emit(log1p, squares)), length)
    return Parts(size, c.emit(arctan2, y, x))


def within_range(c: Conversion, z: Parts, large: Operand) -> tuple[Parts, Operand]:
    """A multiple of z of which lengths neither overflow nor lose digits, and how many times z it is: a power of four.

    Args:
        c: the conversion.
        z: the parts.
        large: the larger of their absolute values.
    """
    huge = c.emit(greater, large, Literal(HUGE[c.itemsize]))
    tiny = c.emit(less, large, Literal(TINY[c.itemsize]))
    grown = c.choose(huge, Literal(0.25), c.choose(tiny, Literal(UP[c.itemsize]), ONE))
    return Parts(c.emit(multiply, z.real, grown), c.emit(multiply, z.imag, grown)), grown


@in_parts("sqrt")
def of_sqrt(c: Conversion, equation: Equation) -> Found:
    """The root of the larger of (|z| + |x|) / 2 first, the other part by a quotient; its real part is not negative."""
    (z,) = c.typed_parts(equation)
    return root(c, z)


def root(c: Conversion, z: Parts) -> Parts:
    """sqrt(z), of a multiple of z where it is so large or small that lengths overflow or lose digits."""
    large = c.emit(maximum, c.emit(absolute, z.real), c.emit(absolute, z.imag))
    (x, y), grown = within_range(c, z, large)
    back = c.emit(sqrt, grown)
    long = c.emit(sqrt, c.emit(multiply, HALF, c.emit(add, c.emit(hypot, x, y), c.emit(absolute, x))))
    long = c.choose(c.emit(isinf, y), c.emit(absolute, y), long)
    nothing = c.emit(equal, long, ZERO)
    short = c.emit(multiply, HALF, c.emit(divide, c.emit(absolute, y), c.choose(nothing, ONE, long)))
    short = c.choose(c.emit(isinf, y), long, short)
    right = c.emit(greater_equal, x, ZERO)
    return Parts(
        c.emit(divide, c.choose(right, long, short), back),
        c.emit(copysign, c.emit(divide, c.choose(right, short, long), back), y),
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
    """A product of a function that grows and one that turns: a zero where one of them is, whatever the other."""
    grown, turn = c.emit(size, x), c.emit(angle, y)
    if angle is sin:
        flat = c.emit(equal, turn, ZERO)
        found = c.emit(multiply, c.choose(flat, c.emit(copysign, ONE, grown), grown), turn)
    else:
        found = c.emit(multiply, grown, turn)
    if size is not sinh:
        return found
    return c.choose(c.emit(logical_and, c.emit(equal, x, ZERO), c.emit(isnan, turn)), x, found)


@in_parts("tanh")
def of_tanh(c: Conversion, equation: Equation) -> Found:
    """(sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)² + cos(y)²); far from zero the limit."""
    ((x, y),) = c.typed_parts(equation)
    most = Literal(LARGE_TANH[equation.specs[0].dtype.itemsize // 2])
    far = c.emit(greater, c.emit(absolute, x), most)
    near = c.choose(far, ONE, x)
    grown, across, along = c.emit(sinh, near), c.emit(cos, y), c.emit(sin, y)
    below = c.emit(add, c.emit(multiply, grown, grown), c.emit(multiply, across, across))
    turn = c.emit(multiply, along, across)
    endless = c.emit(logical_and, c.emit(isinf, x), c.emit(isnan, turn))
    turn = c.choose(endless, c.emit(copysign, ZERO, y), turn)
    rest = c.emit(multiply, Literal(4.0), c.emit(exp, c.emit(multiply, Literal(-2.0), c.emit(absolute, x))))
    return Parts(
        c.choose(far, c.emit(copysign, ONE, x), c.emit(divide, c.emit(multiply, grown, c.emit(cosh, near)), below)),
        c.choose(far, c.emit(multiply, turn, rest), c.emit(divide, turn, below)),
    )


@in_parts("power")
def of_power(c: Conversion, equation: Equation) -> Found | None:
    """Products for whole exponents that stand in the tape, exp(w log(z)) for others; powers of zero are zero."""
    _, exponent = equation.operands
    if not isinstance(exponent, Literal):
        return None
    z, w = c.typed_parts(equation)
    number = complex(exponent.value)
    if number.imag != 0 or number.real <= 0:
        return None  # of zero it is no number, which NumPy says by a warning
    if number.real in (0.5, 2.0):  # as NumPy's operator does
        return root(c, z) if number.real == 0.5 else product(c, z, z)
    if number.real.is_integer() and number.real < MOST_PRODUCTS:
        x, y = repeated(c, z, int(number.real))
    else:
        x, y = exponential(c, product(c, w, logarithm(c, z)), equation.specs[0].dtype.itemsize // 2)
    nothing = c.emit(logical_and, c.emit(equal, z.real, ZERO), c.emit(equal, z.imag, ZERO))
    return Parts(c.choose(nothing, ZERO, x), c.choose(nothing, ZERO, y))


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
