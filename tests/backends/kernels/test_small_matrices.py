"""Determinants and factors of small matrices in kernels, where numbers are large, small or none."""

import numpy as np
import pytest

import autodiff
from autodiff import jit
from autodiff.backends.kernels.programs.linalg.matrices import LARGEST_TRIANGLE
from autodiff.ops.matrices.triangular import solve_triangular
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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", [1, 3, 33])
@pytest.mark.parametrize("side", [1, 3, 4, 5, 9, 50])
def test_substitution_of_any_side(side, columns, dtype):
    """Rows are subtracted some at a time; what is left of them one by one. The other triangle is never read."""
    generator = np.random.default_rng(side)
    a = generator.normal(size=(side, side)).astype(dtype) + 2 * side * np.eye(side, dtype=dtype)
    b = generator.normal(size=(side, columns)).astype(dtype)
    for lower in (True, False):
        hidden = np.where(np.tri(side, k=0 if lower else -1, dtype=bool) == lower, a, np.nan)
        for transposed in (False, True):
            params = {"lower": lower, "transposed": transposed, "unit": False}
            fun = jit(lambda a, b, params=params: solve_triangular(a, b, **params))
            whole = np.where(np.isnan(hidden), 0, hidden)
            wanted = np.linalg.solve((whole.T if transposed else whole).astype(float), b.astype(float))
            np.testing.assert_allclose(fun(hidden, b), wanted, rtol=1e-12 if dtype == "float64" else 1e-4)
    assert not fun.explain(a, b).reason


def test_substitution_of_large_sides_is_by_blocks():
    side = LARGEST_TRIANGLE + 1
    a, b = np.eye(side) * 3, np.ones((side, 2))
    fun = jit(lambda a, b: solve_triangular(a, b, lower=True, transposed=False, unit=False))
    np.testing.assert_array_equal(fun(a, b), b / 3)
    assert str(side) in fun.explain(a, b).reason
