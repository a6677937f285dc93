"""One row for each elementwise operation buys all laws; kinks are pinned in tests/test_conventions.py."""

import numpy as np
import pytest
import scipy.special as sp

import autodiff
from autodiff.ops import elementwise as ew
from autodiff.testing import Case, Domain, check_case
from autodiff.testing.draws.domains import (
    angles,
    distinct,
    greater_than_one,
    kinked_at_zero,
    nonzero,
    positive,
    real,
    unit,
)  # fmt: skip
from autodiff.trace.primitive import Primitive

REAL = ("float64", "float32")
ALL = ("float64", "float32", "complex128", "complex64")
COMPLEX = ("complex128", "complex64")
WHOLE = (REAL, ("int64",))
jumps = Domain(avoid=(-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0), hit=(0.0, 1.0))
halves = Domain(avoid=(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5), hit=(0.5, 1.0))
above_one = Domain(1.0, 6.0, hit=(2.0,))
whole = Domain(-3.0, 3.0)
not_whole = Domain(0.5, 0.95)
clear_of_ties = (Domain(0.0, 3.0), Domain(-3.0, 0.0, hit=(-1.0,)))
one = (real,)
two = (real, real)
positive_real_part = Domain(0.1, 3.0, hit=(1.0,))


def row(name, fun, domain, dtypes, **options):
    return Case(name, fun, domain, dtypes=dtypes, **options)


# fmt: off
CASES = [
    # Choosing, types and parts.
    row("where",       lambda x, y: np.where(np.arange(1.0) > 1, x, y), two, ALL),
    row("straight_where", lambda x: ew.straight_where(np.arange(1.0) < 1, x), one, ALL),
    row("from_parts",  ew.from_parts, two, REAL),
    row("cast",        lambda x: ew.cast(x, dtype=np.dtype("float64")), one, REAL),
    row("python_number", ew.python_number, one, ALL),
    row("real",        np.real,        one, ALL),
    row("imag",        np.imag,        one, COMPLEX),
    row("conjugate",   np.conjugate,   one, ALL),
    # Arithmetic.
    row("add",         np.add,         two, ALL),
    row("subtract",    np.subtract,    two, ALL),
    row("multiply",    np.multiply,    two, ALL),
    row("divide",      np.divide,      (real, nonzero), ALL),
    row("negative",    np.negative,    one, ALL),
    row("positive",    np.positive,    one, ALL),
    row("reciprocal",  np.reciprocal,  (nonzero,), ALL),
    row("remainder",   np.remainder,   (not_whole, above_one), REAL),
    row("fmod",        np.fmod,        (not_whole, above_one), REAL),
    # Powers, exponentials, logarithms.
    row("power",       np.power,       (positive_real_part, real), ALL),
    row("float_power", np.float_power, (positive, real), REAL),
    row("square",      np.square,      one, ALL),
    row("sqrt",        np.sqrt,        (positive,), ALL),
    row("cbrt",        np.cbrt,        (nonzero,), REAL),
    row("exp",         np.exp,         one, ALL),
    row("exp2",        np.exp2,        one, ALL),
    row("expm1",       np.expm1,       one, ALL),
    row("log",         np.log,         (positive,), ALL),
    row("log2",        np.log2,        (positive,), ALL),
    row("log10",       np.log10,       (positive,), ALL),
    row("log1p",       np.log1p,       (Domain(-1.0, hit=(0.0,)),), ALL),
    row("logistic",    ew.logistic,    one, REAL),
    row("softplus",    ew.softplus,    one, REAL),
    row("logaddexp",   np.logaddexp,   two, REAL),
    row("logaddexp2",  np.logaddexp2,  two, REAL),
    # Trigonometry.
    row("sin",         np.sin,         one, ALL),
    row("cos",         np.cos,         one, ALL),
    row("tan",         np.tan,         (Domain(-1.5, 1.5, hit=(0.0,)),), ALL),
    row("arcsin",      np.arcsin,      (unit,), ALL),
    row("arccos",      np.arccos,      (unit,), ALL),
    row("arctan",      np.arctan,      one, ALL),
    row("arctan2",     np.arctan2,     (real, nonzero), REAL, skip={"continuous": "it jumps at negative numbers"}),
    row("hypot",       np.hypot,       (real, nonzero), REAL),
    row("deg2rad",     np.deg2rad,     one, REAL),
    row("rad2deg",     np.rad2deg,     (angles,), REAL),
    # Hyperbolic functions.
    row("sinh",        np.sinh,        one, ALL),
    row("cosh",        np.cosh,        one, ALL),
    row("tanh",        np.tanh,        one, ALL),
    row("arcsinh",     np.arcsinh,     one, ALL),
    row("arccosh",     np.arccosh,     (greater_than_one,), ALL),
    row("arctanh",     np.arctanh,     (unit,), ALL),
    # Kinks.
    row("absolute",    np.absolute,    (kinked_at_zero,), ALL),
    row("fabs",        np.fabs,        (kinked_at_zero,), REAL),
    row("sign",        np.sign,        (kinked_at_zero,), ALL),
    row("copysign",    np.copysign,    (kinked_at_zero, kinked_at_zero), REAL),
    row("heaviside",   np.heaviside,   (kinked_at_zero, real), REAL),
    row("nextafter",   np.nextafter,   two, REAL, skip={
        "forward": "its value is that of x up to the last bit", "reverse": "as forward"}),
    row("ldexp",       np.ldexp,       (real, whole), WHOLE),
    row("maximum",     np.maximum,     (distinct, distinct), REAL),
    row("minimum",     np.minimum,     (distinct, distinct), REAL),
    row("fmax",        np.fmax,        (distinct, distinct), REAL),
    row("fmin",        np.fmin,        (distinct, distinct), REAL),
    row("clip",        np.clip,        (distinct, Domain(-3.0, -0.25), Domain(0.25, 3.0)), REAL),
]
# fmt: on


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


def test_every_operation_that_has_a_derivative_has_a_row():
    primitives = [value for value in vars(ew).values() if isinstance(value, Primitive)]
    differentiable = {each.name for each in primitives if any(rule is not None for rule in each.rules)}
    assert differentiable - {case.name for case in CASES} == set()


@pytest.mark.parametrize(
    ("fun", "at", "slope"),
    [
        (ew.logistic, 40.0, np.exp(-40.0)),
        (ew.logistic, -700.0, np.exp(-700.0)),
        (sp.expit, 40.0, np.exp(-40.0)),
        (np.expm1, -40.0, np.exp(-40.0)),
        (lambda x: np.logaddexp(0.0, x), -40.0, np.exp(-40.0)),
        (lambda x: np.arctan2(x, 3e-200), 4e-200, 3 / 25 * 1e200),
        (lambda x: np.arctan2(x, 3e200), 4e200, 3 / 25 * 1e-200),
        (lambda x: np.hypot(x, 3e-200), 4e-200, 0.8),
        (lambda x: np.fmod(0.3, x), 0.1, -2.0),
        (lambda x: np.remainder(0.3, x), 0.1, -2.0),
        (sp.log_ndtr, -1e5, 1e5 + 1e-5),
        (lambda x: autodiff.grad(np.sinc)(x), 1e17, -np.pi * np.sin(np.pi * 1e17) / 1e17),
        (lambda x: autodiff.grad(np.sinc)(x), 1e-4, -(np.pi**2) / 3 + np.pi**4 * 1e-8 / 10),
    ],
)
def test_derivatives_keep_their_digits_at_extremes(fun, at, slope):
    for found in (autodiff.grad(fun)(at), autodiff.jvp(fun, (at,), (1.0,))[1]):
        assert found == pytest.approx(slope, rel=1e-13, abs=0)


def test_the_shorter_way_of_python_floats_is_that_of_numpy():
    for x in (0.0, np.float64(0.0), np.array(0.0)):
        assert autodiff.grad(lambda x: x**0.5)(x) == np.inf
        assert autodiff.jvp(lambda x: x**0.5, (x,), (1.0,))[1] == np.inf


@pytest.mark.parametrize("size", [5e-324, 1e-310, 3e-308, 1e-160, 1.0, 1e160, 1e308])
def test_the_derivative_of_the_magnitude_of_complex_numbers_of_any_size(size):
    for turned in (1, 1j, -1, -1j):
        _, pullback = autodiff.vjp(np.abs, np.complex128(size * turned))
        assert pullback(1.0) == (np.conj(turned),)
