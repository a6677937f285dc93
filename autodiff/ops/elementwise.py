"""Operations on each element by itself: one row each, value and derivative side by side.

A rule is the derivative with respect to one operand, times ``g``: the cotangent when read backwards, the
tangent when read forwards. Rules are written with the primitives of this file, so that they can be
differentiated again. Where a textbook formula is silent (kinks, ties, infinities) the choice is stated at the
rule.
"""

from __future__ import annotations

from math import log as scalar_log
from math import nan, pi
from typing import Any

import numpy as np

from autodiff.ops.masked import masked
from autodiff.ops.on_gpu import elementwise as gpu
from autodiff.ops.relative import Inverse, Logarithm, Multiple, Shifted
from autodiff.ops.selection import select
from autodiff.trace.facts import FIRST, Element, Facts, comparing, floating, integral, logical, numeric
from autodiff.trace.link import passing
from autodiff.trace.parameters import DTYPE, require
from autodiff.trace.primitive import Primitive, elementwise
from autodiff.trace.spec import Kind, Spec, broadcast_shapes, common_dtype, spec, spec_of
from autodiff.trace.values.arrays import module_of, on_gpu

LN2, LN10 = scalar_log(2.0), scalar_log(10.0)

# What y divides exactly, and the whole number at or below it: NumPy's own way of rounding a quotient down.
_QUOTIENT = "((x - fmod(x, y)) / y - where((fmod(x, y) != 0) & ((y < 0) ^ (fmod(x, y) < 0)), 1, 0))"
_FLOOR = f"floor({_QUOTIENT}) + where({_QUOTIENT} - floor({_QUOTIENT}) > 0.5, 1, 0)"
FLOOR_DIVIDE = f"where(y == 0, x / y, where({_QUOTIENT} == 0, copysign(0, x / y), {_FLOOR}))"
REMAINDER = "where(fmod(x, y) == 0, copysign(0, y), fmod(x, y) + where((y < 0) ^ (fmod(x, y) < 0), y, 0))"

# Of integers: what is shifted out of 64 bits is gone, and the remainder has the sign of x.
LEFT_SHIFT = "where((i8(y) < i8(0)) | (i8(y) > i8(63)), i8(0), i8(x) << (i8(y) & i8(63)))"
RIGHT_SHIFT = "i8(x) >> where((i8(y) < i8(0)) | (i8(y) > i8(63)), i8(63), i8(y))"
FMOD = "i8(x) % i8(y) - where(((i8(x) < i8(0)) ^ (i8(y) < i8(0))) & (i8(x) % i8(y) != i8(0)), i8(y), i8(0))"


def _choice_dtype(_: Spec, x: Spec, y: Spec) -> np.dtype[Any]:
    return common_dtype(x, y)


def _second_dtype(_: Spec, x: Spec) -> np.dtype[Any]:
    """That of x, or of integers where it is boolean: the zeros beside it are a Python int."""
    return common_dtype(x, spec_of(0))


def _given_dtype(_: Spec, *, dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(dtype)


def _real_dtype(x: Spec) -> np.dtype[Any]:
    if x.kind == "python":
        return np.asarray(x.dtype.type(0).item().real).dtype  # of True it is 1
    real_dtype: np.dtype[Any] = np.empty(0, x.dtype).real.dtype
    return real_dtype


def _floating_dtype(x: Spec) -> np.dtype[Any]:
    if x.kind == "python":
        return np.result_type(x.dtype, np.float64)  # Python's -True is an int
    return np.result_type(x.dtype, np.float16)


def _complex_dtype(x: Spec, y: Spec) -> np.dtype[Any]:
    return np.result_type(common_dtype(x, y), np.complex64)


def _own_kind(x: Spec) -> Kind:
    return x.kind


def _cast_kind(x: Spec) -> Kind:
    return "array" if x.kind == "array" else "scalar"


def _array_kind(*_: Spec) -> Kind:
    return "array"


def _is_complex(x: Any) -> bool:
    return spec_of(x).dtype.kind == "c"


def _evaluate_cast(x: Any, *, dtype: Any) -> Any:
    return x.astype(dtype) if hasattr(x, "astype") else np.dtype(dtype).type(x)


def _check_python_number(x: Spec) -> None:
    require(x.dtype.char not in "gG", f"Python has no numbers of {x.dtype}")


def _python_dtype(x: Any) -> np.dtype[Any]:
    return np.asarray(x.dtype.type(0).item()).dtype


def _evaluate_python_number(x: Any) -> Any:
    """A number as Python's; a batch of them stays an array."""
    if not hasattr(x, "item"):
        return x
    return x.astype(_python_dtype(x)) if x.shape or on_gpu(x) else x.item()


def _evaluate_from_parts(x: Any, y: Any) -> Any:
    shape = broadcast_shapes(np.shape(x), np.shape(y))
    out = module_of(x, y).empty(shape, np.result_type(np.result_type(x, y), np.complex64))
    out.real, out.imag = x, y
    return out if out.shape else out[()]


def _evaluate_straight(c: Any, x: Any) -> Any:
    return select(c, x, 0)[()]


def _chosen_tangent(c: Any, x: Any, y: Any) -> Any:
    """The tangent of where(c, x, y): of what is chosen, masked where nothing is there."""
    if x is None or y is None:
        return masked(x, c) if y is None else masked(y, logical_not(c))
    return where(c, x, y)


# fmt: off

# Comparisons, logic and integers: no derivative.
equal         = elementwise("equal",         np.equal,         dx=None, dy=None,
                            facts=comparing("x == y", commutative=True))
not_equal     = elementwise("not_equal",     np.not_equal,     dx=None, dy=None,
                            facts=comparing("x != y", commutative=True))
less          = elementwise("less",          np.less,          dx=None, dy=None, facts=comparing("x < y"))
less_equal    = elementwise("less_equal",    np.less_equal,    dx=None, dy=None, facts=comparing("x <= y"))
greater       = elementwise("greater",       np.greater,       dx=None, dy=None, facts=comparing("x > y"))
greater_equal = elementwise("greater_equal", np.greater_equal, dx=None, dy=None, facts=comparing("x >= y"))
logical_and = elementwise("logical_and", np.logical_and, on_gpu=gpu.of_truth(np.logical_and), dx=None, dy=None,
                          facts=logical("x & y", on_integers=True, commutative=True))
logical_or  = elementwise("logical_or",  np.logical_or,  on_gpu=gpu.of_truth(np.logical_or),  dx=None, dy=None,
                          facts=logical("x | y", on_integers=True, commutative=True))
logical_xor = elementwise("logical_xor", np.logical_xor, on_gpu=gpu.of_truth(np.logical_xor), dx=None, dy=None,
                          facts=logical("x ^ y", on_integers=True, commutative=True))
logical_not = elementwise("logical_not", np.logical_not, on_gpu=gpu.of_truth(np.logical_not), dx=None,
                          facts=logical("x ^ True", on_integers=True))
bitwise_and   = elementwise("bitwise_and",   np.bitwise_and,   dx=None, dy=None,
                            facts=logical("x & y", of_integers="x & y", commutative=True))
bitwise_or    = elementwise("bitwise_or",    np.bitwise_or,    dx=None, dy=None,
                            facts=logical("x | y", of_integers="x | y", commutative=True))
bitwise_xor   = elementwise("bitwise_xor",   np.bitwise_xor,   dx=None, dy=None,
                            facts=logical("x ^ y", of_integers="x ^ y", commutative=True))
invert        = elementwise("invert",        np.invert,        dx=None,
                            facts=logical("x ^ True", of_integers="-i8(x) - 1"))
left_shift    = elementwise("left_shift",    np.left_shift,    dx=None, dy=None, facts=integral(LEFT_SHIFT))
right_shift   = elementwise("right_shift",   np.right_shift,   dx=None, dy=None, facts=integral(RIGHT_SHIFT))
gcd           = elementwise("gcd",           np.gcd,           dx=None, dy=None)
lcm           = elementwise("lcm",           np.lcm,           dx=None, dy=None)
isnan         = elementwise("isnan",         np.isnan,         dx=None, facts=comparing("x != x"))
isinf         = elementwise("isinf",         np.isinf,         dx=None,
                            facts=comparing("absolute(x) == INFINITY", real_only=True))
isfinite      = elementwise("isfinite",      np.isfinite,      dx=None,
                            facts=comparing("absolute(x) < INFINITY", real_only=True))
signbit       = elementwise("signbit",       np.signbit,       dx=None,
                            facts=comparing("copysign(1, x) < 0", real_only=True))
bitwise_count = elementwise("bitwise_count", np.bitwise_count, dx=None)

# Piecewise constant: the derivative is zero, at the jumps too.
floor         = elementwise("floor",         np.floor,         dx=None, facts=floating("floor(x)", exact=True))
ceil          = elementwise("ceil",          np.ceil,          dx=None, facts=floating("ceil(x)", exact=True))
trunc         = elementwise("trunc",         np.trunc,         dx=None, facts=floating("trunc(x)", exact=True))
rint          = elementwise("rint",          np.rint,          dx=None, facts=floating("rint(x)", exact=True))
floor_divide  = elementwise("floor_divide",  np.floor_divide,  dx=None, dy=None,
                            facts=floating(FLOOR_DIVIDE, of_integers="i8(x) // i8(y)", label="{} // {}"))
sign          = elementwise("sign",          np.sign,          dx=None,  # of real numbers
                            facts=numeric("where(x > 0, 1, where(x < 0, -1, where(x == 0, 0, x)))", exact=True))
spacing       = elementwise("spacing", np.spacing, on_gpu=gpu.spacing, dx=None)

# Choosing.
where: Primitive = elementwise(
    "where", select, dtype=_choice_dtype, kind=_array_kind,
    dc=None, dx=lambda g, c: masked(g, c), dy=lambda g, c: masked(g, logical_not(c)),
    forward=lambda tangents, values, out, params: _chosen_tangent(values[0], *tangents[1:]),
                               facts=numeric("where(c, x, y)", copies=slice(1, 3), new=True, label="Where"))
straight_where = elementwise("straight_where", _evaluate_straight, dtype=_second_dtype, dc=None, dx=passing)
"""x where c is true, 0 elsewhere, straight through: its derivative by x is 1 everywhere (see ops/masked.py)."""

# Changing the type, and parts of complex numbers: the projection to the operand's slot does most of the work.
cast       = elementwise("cast", _evaluate_cast, dtype=_given_dtype, kind=_cast_kind, params={"dtype": DTYPE},
                         dx=passing, facts=Facts(Element("x", "own")))
python_number = elementwise("python_number", _evaluate_python_number,
                            dtype=_python_dtype, kind=lambda x: "python", check=_check_python_number, dx=passing,
                            facts=numeric("x", exact=True))
real       = elementwise("real", np.real, dtype=_real_dtype, kind=_own_kind, view=True, dx=passing,
                         facts=numeric("x", exact=True))
imag       = elementwise("imag", np.imag, dtype=_real_dtype, kind=_own_kind, view=True, dx=lambda g: g * -1j,
                         facts=Facts(exact=True))
from_parts = elementwise("from_parts", _evaluate_from_parts, dtype=_complex_dtype,
                         dx=passing, dy=lambda g: g * 1j, facts=Facts(exact=True, new=True))
conjugate: Primitive = elementwise("conjugate", np.conjugate, dx=lambda g: conjugate(g), facts=numeric("x", exact=True))

# Arithmetic.
add      = elementwise("add",      np.add,      dx=passing,               dy=passing, relative=Shifted(),
                       facts=numeric("x + y", of_truth="x | y", commutative=True, label="{} + {}"))
subtract = elementwise("subtract", np.subtract, dx=passing,               dy=lambda g: -g,
                       facts=numeric("x - y", label="{} - {}"))
multiply = elementwise("multiply", np.multiply, dx=lambda g, y: g * y,    dy=lambda g, x: g * x,
                       facts=numeric("x * y", of_truth="x & y", commutative=True, label="{} * {}"))
divide   = elementwise("divide",   np.divide,   dx=lambda g, y: g / y,    dy=lambda g, y, out: -g * out / y,
                       relative=Inverse(), facts=floating("x / y", label="{} / {}"))
negative = elementwise("negative", np.negative, dx=lambda g: -g, facts=numeric("-x", exact=True, label="__neg__"))
positive = elementwise("positive", np.positive, dx=passing, facts=numeric("x", copies=FIRST))
reciprocal = elementwise("reciprocal", np.reciprocal, dx=lambda g, out: -g * out * out, facts=floating("1 / x"))
remainder  = elementwise("remainder",  np.remainder,  dx=passing, dy=lambda g, x, y: -g * floor_divide(x, y),
                         facts=floating(REMAINDER, of_integers="i8(x) % i8(y)"))
fmod       = elementwise("fmod",       np.fmod,
                         dx=passing, dy=lambda g, x, y, out: -g * rint((x - out) / y),
                         facts=floating("fmod(x, y)", of_integers=FMOD, exact=True))

# fmt: on


def _power_dx(g: Any, x: Any, y: Any) -> Any:
    """y x^(y-1); where y is 0 the power is constant, and x = 0 or NaN makes no NaN of that."""
    if type(x) is float or type(x) is complex:
        x = np.positive(x)  # Python's own powers of zero raise where NumPy's are infinite
    if isinstance(y, (int, float)):
        if y == 2:
            return g * (2 * x)
        return g if y == 1 else g * (y * x ** (y - 1)) if y != 0 else masked(g, False)
    counts = logical_or(not_equal(y, 0), greater(absolute(x), 0))
    return masked(g * y * x ** where(counts, y - 1, 1), counts)


def as_precise(x: Any, g: Any) -> Any:
    """An operand in the precision of a derivative that is made of a function of it, if that is the higher one."""
    own, its = spec_of(x), spec_of(g)
    if (
        own.kind == "python"
        or own.dtype.kind != "f"
        or its.dtype.kind != "f"
        or its.dtype.itemsize <= own.dtype.itemsize
    ):
        return x
    return cast(x, dtype=its.dtype)


def _power_dy(g: Any, x: Any, y: Any, out: Any) -> Any:
    """log(x) x^y; at x = 0 and y >= 0 it is 0, the limit from y > 0."""
    nothing = logical_and(equal(x, 0), greater_equal(real(y), 0))
    return masked(g * out * log(where(nothing, 1, as_precise(x, g))), logical_not(nothing))


def _absolute_dx(g: Any, x: Any) -> Any:
    """x / |x|, conjugated; at 0 it is 0, the smallest subgradient.

    Complex numbers are divided by parts: NumPy takes the reciprocal of a divisor, and those of small numbers overflow.
    """
    if not _is_complex(x):
        return g * sign(x)
    length = _or_one(absolute(x))
    return g * from_parts(real(x) / length, -imag(x) / length)


def _maximum_dx(g: Any, x: Any, y: Any) -> Any:
    """1 where x is larger or NaN, a half where both are equal."""
    return masked(where(equal(x, y), 0.5 * g, g), logical_or(greater_equal(x, y), isnan(x)))


def _maximum_dy(g: Any, x: Any, y: Any) -> Any:
    return _maximum_dx(g, y, x)


def _minimum_dx(g: Any, x: Any, y: Any) -> Any:
    return masked(where(equal(x, y), 0.5 * g, g), logical_or(less_equal(x, y), isnan(x)))


def _minimum_dy(g: Any, x: Any, y: Any) -> Any:
    return _minimum_dx(g, y, x)


def _fmax_dx(g: Any, x: Any, y: Any) -> Any:
    """1 where x is larger or y is NaN, a half where both are equal."""
    return masked(where(equal(x, y), 0.5 * g, g), logical_or(greater_equal(x, y), isnan(y)))


def _fmax_dy(g: Any, x: Any, y: Any) -> Any:
    return _fmax_dx(g, y, x)


def _fmin_dx(g: Any, x: Any, y: Any) -> Any:
    return masked(where(equal(x, y), 0.5 * g, g), logical_or(less_equal(x, y), isnan(y)))


def _fmin_dy(g: Any, x: Any, y: Any) -> Any:
    return _fmin_dx(g, y, x)


def _or_one(x: Any) -> Any:
    """x, with 1 in place of 0: a divisor that makes 0/0 a zero."""
    return where(equal(x, 0), 1, x)


def _from(bound: float, x: Any) -> Any:
    """x, with NaN for real numbers below the bound: where a function is NaN its derivative is NaN."""
    return x if _is_complex(x) else where(less(x, bound), nan, x)


def _one_minus_square(x: Any) -> Any:
    """1 - x^2; of complex x with the sign of zero, which says on which side of a branch cut x lies."""
    return -(x - 1) * (x - -1) if _is_complex(x) else (1 - x) * (1 + x)


def _arctanh_dx(g: Any, x: Any) -> Any:
    """1 / (1 - x^2), and NaN outside of [-1, 1]."""
    return g / ((1 - _from(-1, x)) * (1 + -_from(-1, -x)))


def _arctan2_dx(g: Any, x: Any, y: Any) -> Any:
    """y / (x^2 + y^2), with no square to overflow or vanish; at (0, 0) it is 0."""
    length = _or_one(hypot(x, y))
    return g * (y / length / length)


def _double(x: Any) -> Any:
    """x in at least double precision, as float_power computes."""
    return cast(x, dtype=np.result_type(spec_of(x).dtype, np.float64))


def _stable_difference(x: Any, y: Any) -> Any:
    """x - y, and 0 for two equal infinities."""
    return where(logical_and(equal(x, y), isinf(x)), 0, x - y)


def _evaluate_logistic(x: Any) -> Any:
    with np.errstate(over="ignore"):
        grown = np.exp(-x)
        if grown.dtype == np.float16:  # of which too many overflow
            return np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))
        grown += 1
        return 1 / grown


def _evaluate_softplus(x: Any) -> Any:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _from_zero(x: Any) -> Any:
    return _from(0, x)


_LOG, _LOG1P = Logarithm(_from_zero), Logarithm(_from_zero, lambda x: 1 + x)
_LOG2, _LOG10 = Logarithm(_from_zero, scale=LN2), Logarithm(_from_zero, scale=LN10)


# fmt: off

# Powers, exponentials, logarithms.
power    = elementwise("power",    np.power,    dx=_power_dx, dy=_power_dy, facts=Facts(label="{} ** {}"))
float_power = elementwise("float_power", np.float_power,
                          dx=lambda g, x, y: _power_dx(g, _double(x), _double(y)),
                          dy=lambda g, x, y, out: _power_dy(g, _double(x), _double(y), out))
square   = elementwise("square",   np.square,   dx=lambda g, x: g * (2 * x), facts=numeric("x * x", nonnegative=True))
sqrt     = elementwise("sqrt",     np.sqrt,     dx=lambda g, out: g / (2 * out),
                       facts=floating("sqrt(x)", nonnegative=True))
cbrt     = elementwise("cbrt",     np.cbrt,     dx=lambda g, out: g / (3 * out * out), facts=floating("cbrt(x)"))
exp      = elementwise("exp",      np.exp,      dx=lambda g, out: g * out, relative=Multiple(lambda g, **_: g),
                       facts=floating("exp(x)", nonnegative=True))
exp2     = elementwise("exp2",     np.exp2,     dx=lambda g, out: g * (out * LN2),
                       facts=floating("exp2(x)", nonnegative=True))
expm1    = elementwise("expm1",    np.expm1,    dx=lambda g, x: g * exp(x), facts=floating("expm1(x)"))
log      = elementwise("log",      np.log,      dx=_LOG.rule,   relative=_LOG, facts=floating("log(x)"))
log2     = elementwise("log2",     np.log2,     dx=_LOG2.rule,  relative=_LOG2, facts=floating("log2(x)"))
log10    = elementwise("log10",    np.log10,    dx=_LOG10.rule, relative=_LOG10, facts=floating("log10(x)"))
log1p    = elementwise("log1p",    np.log1p,    dx=_LOG1P.rule, relative=_LOG1P, facts=floating("log1p(x)"))
logistic: Primitive = elementwise("logistic", _evaluate_logistic, dtype=_floating_dtype,
                                  dx=lambda g, x, out: g * (out * logistic(-x)),
                                  relative=Multiple(lambda g, x, **_: g * logistic(-x)),
                                  facts=floating("logistic(x)", nonnegative=True, new=True, label="Sigmoid"))
softplus = elementwise("softplus", _evaluate_softplus, dtype=_floating_dtype, dx=lambda g, x: g * logistic(x),
                       facts=floating("softplus(x)", nonnegative=True, new=True, label="Softplus"))
logaddexp  = elementwise("logaddexp",  np.logaddexp,
                         dx=lambda g, x, y: g * logistic(_stable_difference(x, y)),
                         dy=lambda g, x, y: g * logistic(_stable_difference(y, x)),
                         facts=floating("where(x == y, x + LN2, maximum(x, y) + log1p(exp(-absolute(x - y))))"))
logaddexp2 = elementwise("logaddexp2", np.logaddexp2,
                         dx=lambda g, x, y: g * logistic(_stable_difference(x, y) * LN2),
                         dy=lambda g, x, y: g * logistic(_stable_difference(y, x) * LN2),
                         facts=floating("where(x == y, x + 1, maximum(x, y) + log1p(exp2(-absolute(x - y))) / LN2)"))

# Trigonometry.
sin      = elementwise("sin",      np.sin,      dx=lambda g, x: g * cos(x), facts=floating("sin(x)"))
cos: Primitive = elementwise("cos", np.cos, dx=lambda g, x: -g * sin(x), facts=floating("cos(x)"))
tan      = elementwise("tan",      np.tan,      dx=lambda g, out: g * (1 + out * out), facts=floating("tan(x)"))
arcsin   = elementwise("arcsin",   np.arcsin,   dx=lambda g, x: g / sqrt(_one_minus_square(x)),
                       facts=floating("arcsin(x)"))
arccos   = elementwise("arccos",   np.arccos,   dx=lambda g, x: -g / sqrt(_one_minus_square(x)),
                       facts=floating("arccos(x)"))
arctan   = elementwise("arctan",   np.arctan,   dx=lambda g, x: g / (1 + x * x), facts=floating("arctan(x)"))
arctan2  = elementwise("arctan2",  np.arctan2,
                       dx=_arctan2_dx, dy=lambda g, x, y: _arctan2_dx(-g, y, x), facts=floating("arctan2(x, y)"))
hypot    = elementwise("hypot",    np.hypot,
                       dx=lambda g, x, out: g * (x / _or_one(out)),           # at (0, 0): (0, 0)
                       dy=lambda g, y, out: g * (y / _or_one(out)), facts=floating("hypot(x, y)", nonnegative=True))
deg2rad  = elementwise("deg2rad",  np.deg2rad,  dx=lambda g: g * (pi / 180), facts=floating("x * (PI / 180)"))
rad2deg  = elementwise("rad2deg",  np.rad2deg,  dx=lambda g: g * (180 / pi), facts=floating("x * (180 / PI)"))

# Hyperbolic functions.
sinh     = elementwise("sinh",     np.sinh,     dx=lambda g, x: g * cosh(x), facts=floating("sinh(x)"))
cosh: Primitive = elementwise("cosh", np.cosh, dx=lambda g, x: g * sinh(x), facts=floating("cosh(x)", nonnegative=True))
tanh     = elementwise("tanh",     np.tanh,     dx=lambda g, out: g * (1 - out * out),
                       facts=floating("tanh(x)", label="Tanh"))
arcsinh  = elementwise("arcsinh",  np.arcsinh,  dx=lambda g, x: g / sqrt(x * x - -1), facts=floating("arcsinh(x)"))
arccosh  = elementwise("arccosh",  np.arccosh,  dx=lambda g, x: g / (sqrt(x - 1) * sqrt(x - -1)),
                       facts=floating("arccosh(x)"))
arctanh  = elementwise("arctanh",  np.arctanh,  dx=_arctanh_dx, facts=floating("arctanh(x)", label="Arctanh"))

# Kinks.
absolute = elementwise("absolute", np.absolute, dx=_absolute_dx,
                       facts=numeric("absolute(x)", nonnegative=True, exact=True, label="|{}|"))
fabs     = elementwise("fabs",     np.fabs,     dx=_absolute_dx,
                       facts=floating("absolute(x)", nonnegative=True, exact=True))
copysign: Primitive = elementwise("copysign", np.copysign,
                                  dx=lambda g, x, y: g * sign(x) * copysign(1.0, y), dy=None,
                                  facts=floating("copysign(x, y)", exact=True))
heaviside = elementwise("heaviside", np.heaviside, dx=None, dy=lambda g, x: masked(g, equal(x, 0)),
                        facts=floating("where(x == 0, y, where(x < 0, 0, where(x > 0, 1, x)))", exact=True))
nextafter = elementwise("nextafter", np.nextafter, dx=passing, dy=None, facts=Facts(exact=True))
ldexp: Primitive = elementwise("ldexp", np.ldexp, dx=lambda g, y: ldexp(g, y), dy=None, facts=Facts(exact=True))
maximum  = elementwise("maximum",  np.maximum,  dx=_maximum_dx, dy=_maximum_dy,
                       facts=numeric("maximum(x, y)", exact=True))
minimum  = elementwise("minimum",  np.minimum,  dx=_minimum_dx, dy=_minimum_dy,
                       facts=numeric("minimum(x, y)", exact=True))
fmax     = elementwise("fmax",     np.fmax,     dx=_fmax_dx,    dy=_fmax_dy, facts=floating("fmax(x, y)", exact=True))
fmin     = elementwise("fmin",     np.fmin,     dx=_fmin_dx,    dy=_fmin_dy, facts=floating("fmin(x, y)", exact=True))

# fmt: on


def _clip_dtype(x: Spec, low: Spec, high: Spec) -> np.dtype[Any]:
    """Of a Python number NumPy makes an array first."""
    return common_dtype(spec((), x.dtype, "scalar") if x.kind == "python" else x, low, high)


def _evaluate_clip(x: Any, low: Any, high: Any) -> Any:
    """NumPy makes an array of a Python number first: of a whole number beyond 64 bits one of Python objects."""
    return np.clip(float(x) if type(x) is int and not -(1 << 63) <= x < 1 << 64 else x, low, high)


clip = elementwise(
    "clip",
    _evaluate_clip,
    dtype=_clip_dtype,
    dx=lambda g, x, low, high: masked(g, logical_and(greater_equal(x, low), less_equal(x, high))),
    dlow=lambda g, x, low, high: masked(g, logical_and(less(x, low), less_equal(low, high))),
    dhigh=lambda g, x, low, high: masked(g, greater(maximum(x, low), high)),
    facts=numeric("minimum(maximum(x, low), high)", exact=True, label="Clip"),
)
