"""How exact the prelude's own functions are, on the host, whose exp and log stand for CUDA's."""

from pathlib import Path

import numpy as np
import pytest
from scipy import special

from autodiff.backends.cupy.kernels.kernel import Launch
from autodiff.backends.cupy.prelude import prelude
from autodiff.backends.llvm.mathematics.gamma import CONSTANTS
from tests.backends.cupy.hosting import Hosted, needs_compiler
from tests.backends.llvm.mathematics_inputs import arguments, specials, unit_of

REFERENCE = np.load(Path(__file__).parents[1] / "llvm" / "mathematics_reference.npz")

ULPS = {
    ("logistic", "float32"): 3.0, ("logistic", "float64"): 2.4,
    ("softplus", "float32"): 2.5, ("softplus", "float64"): 2.0,
    ("digamma", "float32"): 7.0, ("digamma", "float64"): 7.0,
    ("log_gamma", "float32"): 6.0, ("log_gamma", "float64"): 4.0,
    ("power", "float32"): 4.0, ("power", "float64"): 2.0,
}  # fmt: skip
"""Units of the last place; mathematics.cuh states them. On an H100 logistic and softplus of float32 are off by 2.67 and 2.28."""

TYPES = {"float32": "float", "float64": "double"}
BINARY = ("maximum", "minimum", "power")
UNARY = ("absolute", "logistic", "softplus", "log_gamma", "digamma")
TEXT = prelude() + "".join(
    f'extern "C" __global__ void {name}_{dtype}(const {kind}* x, const {kind}* y, {kind}* out, int64 size) {{\n'
    "  const int64 k = int64(blockIdx.x) * blockDim.x + threadIdx.x;\n"
    f"  if (k < size) out[k] = {name}({'x[k], y[k]' if name in BINARY else 'x[k]'});\n}}\n"
    for dtype, kind in TYPES.items()
    for name in UNARY + BINARY
)

pytestmark = needs_compiler


@pytest.fixture(scope="module")
def call():
    host = Hosted(TEXT)

    def run(name, x, y=None):
        x = np.ascontiguousarray(x)
        out = np.zeros_like(x)
        launch = Launch(f"{name}_{x.dtype}", (-(-x.size // 256), 1), 256)
        host.run(launch, [x, x if y is None else np.ascontiguousarray(y), out, x.size], constant=(0, 1))
        return out

    return run


def within(name, found, value, operands, missing=0.0):
    """Found against value + missing: the same NaN, infinities and zeros, and no further off than stated."""
    nearest = value.astype(found.dtype)
    finite = np.isfinite(nearest)
    np.testing.assert_array_equal(found[~finite], nearest[~finite])
    own = "lgamma" if name == "log_gamma" else name
    unit = unit_of(own, nearest[finite], [operand[finite] for operand in operands]).astype(value.dtype)
    off = np.abs(
        (found[finite].astype(value.dtype) - value[finite] - np.broadcast_to(missing, finite.shape)[finite]) / unit
    )
    assert np.max(off) <= ULPS[name, found.dtype.name], (name, np.max(off), operands[0][finite][np.argmax(off)])


WIDE = {
    "logistic": lambda x: np.where(x < 0, np.exp(-np.abs(x)), 1) / (1 + np.exp(-np.abs(x))),
    "softplus": lambda x: np.log1p(np.exp(-np.abs(x))) + np.where(x < 0, 0, x),
    "digamma": special.digamma,
    "log_gamma": special.gammaln,
    "power": np.power,
}


@pytest.mark.parametrize("name", WIDE)
def test_float32_against_float64(call, name):
    operands = arguments("lgamma" if name == "log_gamma" else name, np.float32, 40_000, seed=3)
    with np.errstate(all="ignore"):
        within(name, call(name, *operands), WIDE[name](*(x.astype(np.float64) for x in operands)), operands)


@pytest.mark.parametrize("name", WIDE)
def test_float64_against_recorded_values(call, name):
    *operands, value, missing = REFERENCE["lgamma" if name == "log_gamma" else name].T
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(np.where(np.isfinite(value), value, 1)))
        within(name, call(name, *operands), value, operands, missing * unit)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["digamma", "log_gamma"])
def test_special_values(call, name, dtype):
    x = np.array([0, -0.0, 1, 2, 3, -1, -2, -1e10, 1e10, np.inf, -np.inf, np.nan], dtype)
    with np.errstate(all="ignore"):
        expected = WIDE[name](x)
    np.testing.assert_allclose(call(name, x), expected, rtol=4 * np.finfo(dtype).eps, atol=0)


@pytest.mark.parametrize("dtype", TYPES)
def test_extremes(call, dtype):
    x, y = (part.ravel() for part in np.meshgrid(specials(np.dtype(dtype).type), specials(np.dtype(dtype).type)))
    for name in ("maximum", "minimum"):
        found = call(name, x, y)
        np.testing.assert_array_equal(found, getattr(np, name)(x, y))
        both_zero = (x == 0) & (y == 0)
        np.testing.assert_array_equal(np.signbit(found[both_zero]), np.signbit(y[both_zero]))
    found = call("absolute", x)
    np.testing.assert_array_equal(found, np.abs(x))
    assert not np.any(np.signbit(found[~np.isnan(found)]))


@pytest.mark.parametrize("dtype", TYPES)
def test_nothing_overflows_or_vanishes(call, dtype):
    far = np.array([90, 1040, 2000, 1e4, np.inf], dtype)
    tiny = np.finfo(dtype).smallest_subnormal
    np.testing.assert_array_equal(call("logistic", far[1:]), 1)
    np.testing.assert_array_equal(call("softplus", far), far)
    before = np.array([-87, -103, -1e4, -np.inf] if dtype == "float32" else [-700, -744, -1e4, -np.inf], dtype)
    for name in ("logistic", "softplus"):
        found = call(name, before)
        assert np.all(found[:2] >= tiny)
        np.testing.assert_array_equal(found[2:], 0)


def test_polynomials_are_those_of_the_other_machine():
    text = prelude()
    for table in ("DIGAMMA_1", "DIGAMMA_2", "DIGAMMA_TAIL"):
        both = CONSTANTS[table]
        for number in both.double:
            assert repr(float(number)) in text
        for number in both.single:
            assert f"{float(str(np.float32(number)))!r}f" in text
