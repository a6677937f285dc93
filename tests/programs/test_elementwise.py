"""Every ufunc as programs call it: broadcast, with where=, out=, dtype=, by its methods, and in formulas."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
from tests.programs.programs import Programs, check

programs = Programs()

X = np.array([[0.31, -1.23, 0.72], [1.64, 0.46, -0.83]])
P = np.abs(X) + 0.2
U = X / 2
V = np.array([0.93, -0.41, 1.37])
Q = np.array([1.71, 0.58, 2.23])
Z = X + 1j * X[::-1]
W = V - 0.5j
COLUMN = np.array([[0.8], [1.9]])

REAL = """
    sin cos tan sinh cosh tanh exp exp2 expm1 square negative positive absolute fabs arctan arcsinh deg2rad
    rad2deg radians degrees sinc i0 cbrt
"""
POSITIVE = "log log2 log10 log1p sqrt reciprocal"
UNIT = "arcsin arccos arctanh"
PAIRS = """
    add subtract multiply divide true_divide maximum minimum fmax fmin arctan2 hypot logaddexp logaddexp2
    copysign remainder mod fmod
"""
COMPLEX = """
    sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt square reciprocal negative positive
    arctan arcsinh conjugate
"""

for name in REAL.split():
    programs.table({name: (getattr(np, name), X)})
for name in POSITIVE.split():
    programs.table({name: (getattr(np, name), P)})
for name in UNIT.split():
    programs.table({name: (getattr(np, name), U)})
for name in PAIRS.split():
    function = getattr(np, name)
    programs.table(
        {
            f"{name}_broadcast": (function, X, Q),
            f"{name}_outer_shapes": (lambda x, y, f=function: f(x, y), COLUMN, Q),
            f"{name}_with_python_number": (lambda x, f=function: f(x, 1.53) + f(2.07, x), P),
            f"{name}_with_list": (
                lambda x, f=function: f(x, [1.55, 2.57, 0.26]) + f([1.55, 2.57, 0.26], x),
                P,
            ),
            f"{name}_outer": (lambda x, y, f=function: f.outer(x, y), V, COLUMN),
        }
    )
for name in COMPLEX.split():
    programs.table({f"{name}_of_complex": (getattr(np, name), Z)})

programs.table(
    {
        "arccosh": (np.arccosh, P + 1),
        "power": (np.power, P, V),
        "power_of_column": (np.power, COLUMN, Q),
        "power_integer_exponent": (lambda x: np.power(x, 3) + x**2 + x**-1, X),
        "power_integer_array_exponent": (lambda x, n: x**n, X, np.array([0, 1, 2])),
        "power_negative_base": (lambda x: (-2.0) ** np.array([1, 2, 3]) * x, X),
        "float_power": (lambda x: np.float_power(x, 2.5) + np.float_power(x, 2), P),
        "two_to_the_x": (lambda x: 2**x + 2.0**x + np.float64(2) ** x, X),
        "heaviside": (lambda x: np.heaviside(x, 0.5) * x, X),
        "ldexp": (lambda x: np.ldexp(x, 3), X),
        "ldexp_exponents": (lambda x, n: np.ldexp(x, n), X, np.array([1, -1, 2])),
        "frexp": (lambda x: np.frexp(x)[0], X),
        "modf": (lambda x: np.modf(x)[0] + 2 * np.modf(x)[1], X),
        "divmod": (lambda x: np.divmod(x, 0.37), X),
        "clip": (lambda x: np.clip(x, -0.5, 0.5), X),
        "clip_arrays": (lambda x, low: np.clip(x, low, low + 1), X, V - 0.7),
        "clip_one_bound": (lambda x: np.clip(x, 0.1, None) + np.clip(x, None, 0.5) + np.clip(x, min=0.2), X),
        "clip_method": (lambda x: x.clip(-0.5, 0.5) + x.clip(0.0), X),
        "nan_to_num": (lambda x: np.nan_to_num(x), X),
        "real_and_imag": (lambda z: np.real(z) * np.imag(z) + z.real**2, Z),
        "abs_and_angle": (lambda z: np.abs(z) + np.angle(z), Z),
        "absolute_complex": (lambda z: abs(z) ** 2, Z),
        "conj_product": (lambda z: (z * z.conj()).real, Z),
        "sign_complex": (lambda z: np.sign(z), Z),
        "branch_cuts_above": (
            lambda x: np.arccos(x + 0j).imag + np.arcsin(x + 0j).imag + np.arccosh(x + 0j).imag + np.arctanh(x + 0j),
            2.1 * X,
        ),
        "branch_cuts_below": (
            lambda x: np.arccos(below(x)).imag + np.arcsin(below(x)).imag + np.arccosh(below(x)).imag,
            2.1 * X,
        ),
        "branch_cuts_of_arcsinh": (lambda x: np.arcsinh(1j * x).real + np.arcsinh(below(x) * 1j).real, 2.1 * X),
        "complex_power": (lambda z: z**2 + z**3 + 1 / z, Z),
        "complex_power_complex": (lambda z, w: z**w, Z, W),
        "complex_from_real": (lambda x: np.exp(1j * x).real + (x + 2j * x).imag, X),
        "complex_result": (lambda x: x * (1 + 2j), X),
        "complex_divide": (lambda z, w: z / w, Z, W),
        "complex_by_real": (lambda z, x: z * x + z / x, Z, X),
        "sqrt_of_negative_via_complex": (lambda x: np.sqrt(x + 0j), X),
        "emath_free_sqrt": (lambda x: np.sqrt(np.abs(x)), X),
        "where": (lambda x: np.where(x > 0, x**2, -x), X),
        "where_of_log": (lambda x: np.where(x > 0, np.log(x), 0.0), X),
        "where_scalars": (lambda x: np.where(x > 0, 1.0, 0.5) * x, X),
        "where_broadcast": (lambda x, y: np.where(np.array([True, False, True]), x, y), X, COLUMN),
        "where_python_condition": (lambda x, y: np.where(True, x, y), X, X + 1),
        "select": (lambda x: np.select([x < -0.5, x < 0.5], [x**2, x**3], default=np.sin(x)), X),
        "piecewise": (lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda t: -t, lambda t: t**2]), X),
        "piecewise_numbers": (lambda x: x * np.piecewise(x, [x < 0], [-1.0, 2.0]), X),
        "choose": (lambda x: np.choose([0, 1, 0], [x, x**2]), X),
        "dtype_float64": (lambda x: np.add(x, 1, dtype=np.float64) * np.exp(x, dtype=float), X),
        "dtype_float64_of_int": (lambda x: x * np.multiply(np.array([1, 2, 3]), 2, dtype=float), X),
        "dtype_complex": (lambda x: np.sqrt(x, dtype=complex), X),
        "where_with_out": (lambda x: np.log(x, where=x > 0, out=np.zeros_like(x)), X),
        "divide_where_with_out": (lambda x, y: np.divide(x, y, where=y > 0.7, out=np.ones_like(x)), X, P),
        "add_where_with_out_of_x": (lambda x, y: np.add(x, y, where=np.array([True, False, True]), out=x * 2), X, P),
        "out_tuple": (lambda x: np.sin(x, out=(np.empty_like(x),)), X),
        "out_positional": (lambda x, y: np.multiply(x, y, np.empty_like(x)), X, P),
        "out_of_two": (lambda x: np.modf(x, out=(np.empty_like(x), np.empty_like(x)))[0], X),
        "casting_keyword": (lambda x: np.add(x, x, casting="same_kind"), X),
        "order_keyword": (lambda x: np.exp(x, order="C"), X),
        "add_reduce": (lambda x: np.add.reduce(x, axis=1), X),
        "add_reduce_all": (lambda x: np.add.reduce(x, axis=None), X),
        "add_reduce_default_axis": (lambda x: np.add.reduce(x), X),
        "multiply_reduce": (lambda x: np.multiply.reduce(x, axis=(0, 1), keepdims=True), X),
        "maximum_reduce": (lambda x: np.maximum.reduce(x, axis=1) + np.minimum.reduce(x, axis=1), X),
        "logaddexp_reduce": (lambda x: np.logaddexp.reduce(x, axis=1), X),
        "logaddexp_reduce_initial": (lambda x: np.logaddexp.reduce(x, axis=0, initial=0.0), X),
        "hypot_reduce": (lambda x: np.hypot.reduce(x, axis=-1), X),
        "subtract_reduce": (lambda x: np.subtract.reduce(x, axis=1), X),
        "add_accumulate": (lambda x: np.add.accumulate(x, axis=1), X),
        "multiply_accumulate": (lambda x: np.multiply.accumulate(x, axis=1), X),
        "maximum_accumulate": (lambda x: np.maximum.accumulate(x, axis=1), X),
        "logaddexp_accumulate": (lambda x: np.logaddexp.accumulate(x, axis=1), X),
        "add_reduceat": (lambda x: np.add.reduceat(x, [0, 2, 1], axis=1), X),
        "multiply_reduceat": (lambda x: np.multiply.reduceat(x, [0, 1], axis=1), X),
        "matmul_ufunc": (lambda x, y: np.matmul(x, y), X, X.T + 1),
        "vecdot": (lambda x, y: np.vecdot(x, y), X, X + 1),
        "spacing_free": (lambda x: x + 0 * np.sign(x) * np.floor(x), X),
        "rounding_steps": (
            lambda x: x * np.floor(x) + x * np.ceil(x) + x * np.rint(x) + x * np.trunc(x) + x * np.round(x, 1),
            X,
        ),
        "nextafter": (lambda x: np.nextafter(x, 10.0), X),
        "integer_array_argument": (lambda n, x: np.sin(n * x) / (n + 1), np.arange(3), X),
        "boolean_array_argument": (lambda b, x: b * x + (~b) * x**2, np.array([True, False, True]), X),
        "zero_dimensional": (lambda x: np.sin(x) * x[()] + np.exp(x), np.array(0.7)),
        "numpy_scalar": (lambda x: np.sin(x) * x**2 / 3 - 1, np.float64(0.7)),
        "python_float": (lambda x: x**2 / 3 - 1 + abs(-x), 0.7),
        "python_float_through_numpy": (lambda x: np.sin(x) * x, 0.7),
        "python_complex": (lambda z: z**2 + 1 / z, 0.7 + 0.2j),
        "empty_array": (lambda x: np.sin(x).sum() + 1.0, np.zeros((0, 3))),
        "mixed_precision": (lambda x, y: x * y, X, V.astype(np.float32)),
        "gelu": (lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))), X),
        "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), X),
        "softplus": (lambda x: np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0), X),
        "logit": (lambda p: np.log(p / (1 - p)), np.array([0.2, 0.5, 0.8])),
        "gaussian_density": (lambda x, m, s: np.exp(-0.5 * ((x - m) / s) ** 2) / (s * np.sqrt(2 * np.pi)), X, 0.3, 0.8),
        "huber": (lambda x: np.where(np.abs(x) < 1, 0.5 * x**2, np.abs(x) - 0.5), X),
        "lennard_jones": (lambda r: 4 * ((0.8 / r) ** 12 - (0.8 / r) ** 6), P + 0.5),
        "rosenbrock": (lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0), V),
        "ackley": (
            lambda x: -20 * np.exp(-0.2 * np.sqrt(np.mean(x**2))) - np.exp(np.mean(np.cos(2 * np.pi * x))) + 20 + np.e,
            V,
        ),
        "rastrigin": (lambda x: 10 * x.size + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)), V),
    }
)


def below(x):
    """Complex numbers on the real axis, on the lower side of a branch cut."""
    return np.conj(x + 0j)


@pytest.mark.parametrize("name", programs)
def test_program(name):
    check(programs[name])


@pytest.mark.parametrize("order", [None, "C", "F"])
def test_arrays_of_finite_numbers(order):
    @autodiff.differentiable
    def program(x):
        convert = np.asarray_chkfinite if order is None else lambda x: np.asarray_chkfinite(x, dtype=None, order=order)
        out = np.zeros(3)
        out[:] = x
        return np.sum(convert(x) ** 2) + np.sum(convert([x[0], 2.0])) + np.sum(convert(out) ** 3)

    x = np.array([1.0, 2.0, -3.0])
    expected = 2 * x + 3 * x**2 + [1.0, 0.0, 0.0]
    np.testing.assert_allclose(autodiff.grad(program)(x), expected)
    np.testing.assert_allclose(autodiff.jit(autodiff.grad(program))(x), expected)
    with pytest.raises(ValueError, match="infinite numbers or NaN"):
        autodiff.grad(program)(np.array([1.0, np.inf, 0.0]))
