from pathlib import Path

import numpy as np
import pytest
from scipy import special

from autodiff.backends.llvm.mathematics import FUNCTIONS, MAXIMUM_ULPS
from tests.backends.llvm.mathematics_inputs import arguments, last_place, unit_of
from tests.backends.llvm.mathematics_kernels import call

REFERENCE = np.load(Path(__file__).with_name("mathematics_reference.npz"))
NAMES = sorted({name for name, _ in MAXIMUM_ULPS})
HAS_LONG_DOUBLE = np.finfo(np.longdouble).nmant >= 63

WIDE = {
    "logistic": lambda x: np.where(x < 0, np.exp(x), 1) / (1 + np.exp(-np.abs(x))),
    "softplus": lambda x: np.log1p(np.exp(-np.abs(x))) + np.where(x < 0, 0, x),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": special.erf,
    "erfc": special.erfc,
    "lgamma": special.gammaln,
    "digamma": special.digamma,
}


def wide(name, *operands):
    return WIDE.get(name, getattr(np, name.removesuffix("_near"), None))(*operands)


def assert_within(name, found, value, operands, missing=0.0):
    """Found against value + missing: the same NaN, infinities and signs, no further off than stated, and nearly so."""
    nearest = value.astype(found.dtype)
    finite = np.isfinite(nearest)
    np.testing.assert_array_equal(found[~finite], nearest[~finite])
    zero = (nearest == 0) & (found == 0)
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(nearest[zero]))
    found, value, nearest = found[finite].astype(value.dtype), value[finite], nearest[finite]
    unit = unit_of(name, nearest, [operand[finite] for operand in operands]).astype(value.dtype)
    missing = np.broadcast_to(missing, finite.shape)[finite] * (last_place(np.abs(nearest)) / unit)
    largest = np.max(np.abs((found - value) / unit - missing))
    stated = MAXIMUM_ULPS[name, nearest.dtype.name]
    assert 0.6 * stated <= largest <= stated, largest


@pytest.mark.parametrize("name", NAMES)
def test_float32_against_float64(name):
    operands = arguments(name, np.float32, 100_000, seed=0)
    with np.errstate(all="ignore"):
        value = wide(name, *(operand.astype(np.float64) for operand in operands))
        assert_within(name, call(name, *operands), value, operands)


@pytest.mark.skipif(not HAS_LONG_DOUBLE, reason="no long double of 64 bits; the recorded values stand for it")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("erf", "erfc", "lgamma", "digamma")])
def test_float64_against_long_double(name):
    operands = arguments(name, np.float64, 60_000, seed=0)
    with np.errstate(all="ignore"):
        value = wide(name, *(operand.astype(np.longdouble) for operand in operands))
        assert_within(name, call(name, *operands), value, operands)


@pytest.mark.parametrize("name", NAMES)
def test_float64_against_recorded_values(name):
    *operands, value, missing = REFERENCE[name].T
    assert_within(name, call(name, *operands), value, operands, missing)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["lgamma", "digamma", "erf", "erfc"])
def test_special_values_of_special_functions(name, dtype):
    x = np.array([0, -0.0, 1, 2, 3, -1, -2, -1e10, 1e10, np.inf, -np.inf, np.nan], dtype)
    expected = wide(name, x)
    found = call(name, x)
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps, atol=0)
    np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(expected[found == 0]))


HARD = {
    # Close to a multiple of pi/2, in float64: only some 1000 bits of 2/pi show how close.
    ("cos", 6381956970095103.0 * 2.0**797): -4.687165924254628e-19,
    ("sin", 6381956970095103.0 * 2.0**797): 1.0,
    ("sin", 1e22): -0.8522008497671888,
    ("cos", 1e22): 0.5232147853951389,
    ("sin", 1.7976931348623157e308): 0.004961954789184062,
    ("tan", 1.7976931348623157e308): -0.004962015874444895,
}


@pytest.mark.parametrize(("name", "x"), HARD)
def test_huge_arguments(name, x):
    found = call(name, np.array([x, -x]))
    expected = HARD[name, x]
    odd = -1 if name != "cos" else 1
    assert np.all(np.abs(found - [expected, odd * expected]) <= 2 * np.spacing(abs(expected)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_near_functions_are_the_same(name, dtype):
    (x,) = arguments(name + "_near", np.dtype(dtype).type, 10_000, seed=3)
    np.testing.assert_array_equal(call(name + "_near", x), call(name, x))


def test_every_function_states_its_error():
    assert {name for name, _ in MAXIMUM_ULPS} == {*FUNCTIONS, "sqrt"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "name", ["sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh", "expm1", "log1p"]
)
def test_functions_like_x_near_zero_keep_numbers_of_one_bit(name, dtype):
    smallest = np.finfo(dtype).smallest_subnormal
    x = np.array([1, -1, 2, 3, -3, 1001], dtype) * smallest
    np.testing.assert_array_equal(call(name, x), x)
