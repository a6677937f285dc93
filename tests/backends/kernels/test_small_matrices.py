"""Determinants and factors of small matrices in kernels, where numbers are large, small or none."""

import numpy as np
import pytest

import autodiff
from autodiff import jit
from tests.backends.kernels.running import needs_numba

pytestmark = needs_numba


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "pivots",
    [
        (1e200, 1e200, 1e-300),
        (1e-200, 1e-200, 1e300),
        (1e30, 1e30, 1e-30),
        (-1e30, 1e30, 1e-30),
        (1, 2, 0),
        (np.nan, 1, 2),
    ],
)
def test_determinants_that_overflow_or_vanish_on_the_way(pivots, dtype):
    with np.errstate(all="ignore"):
        matrix = np.diag(np.array(pivots)).astype(dtype)
        if not np.isfinite(matrix).all() and not np.isnan(pivots[0]):
            pytest.skip("too large for the dtype")
        expected = np.linalg.det(matrix)
    np.testing.assert_allclose(jit(np.linalg.det)(matrix), expected, rtol=1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize(
    "function", [np.linalg.cholesky, lambda a: np.linalg.slogdet(a)[0], lambda a: np.linalg.slogdet(a)[1]]
)
def test_nan_goes_through_as_through_lapack(function):
    for matrix in (np.full((3, 3), np.nan), np.array([[1.0, np.nan], [np.nan, 1.0]])):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(jit(function)(matrix), function(matrix))


def test_bytes_are_negated_beside_calls():
    u = np.array([1, 200, 255], np.uint8)

    def step(k, s):
        return -s * s + s // 3

    np.testing.assert_array_equal(
        jit(lambda a, k: autodiff.fori_loop(0, k, step, a))(u, 2), autodiff.fori_loop(0, 2, step, u)
    )
    negated, values = jit(lambda a, m: (-a * a, np.linalg.svd(m)[1]))(u, np.eye(3) + 1.0)
    np.testing.assert_array_equal(negated, -u * u)
    np.testing.assert_allclose(values, np.linalg.svd(np.eye(3) + 1.0)[1])
