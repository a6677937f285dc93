"""Linear algebra of float32 in compiled programs is computed in float64, as NumPy computes it."""

import numpy as np
import pytest

import autodiff
from autodiff import jit

RNG = np.random.default_rng(6)
GRADED = RNG.normal(size=(6, 4)) * 10.0 ** np.array([0, 3, 7, 9])
GRADED = (GRADED.T @ GRADED + 2 * np.eye(4)).astype(np.float32)
STACK = RNG.normal(size=(7, 3, 3))
STACK = (STACK @ STACK.swapaxes(-1, -2) + np.eye(3)).astype(np.float32)

FUNCTIONS = {
    "inv": np.linalg.inv,
    "solve": lambda a: np.linalg.solve(a, np.ones((a.shape[-1], 2), np.float32)),
    "det": lambda a: np.linalg.det(a * np.float32(1e-3)),
    "slogdet": np.linalg.slogdet,
    "cholesky": np.linalg.cholesky,
    "in a loop": lambda a: autodiff.fori_loop(0, 2, lambda i, c: c + np.linalg.inv(a), a * 0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_numpy_s(name):
    for matrices in (GRADED, STACK):
        found, expected = jit(FUNCTIONS[name])(matrices), FUNCTIONS[name](matrices)
        pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
        for one, other in pairs:
            assert one.dtype == other.dtype == np.float32
            np.testing.assert_allclose(one, other, rtol=3e-7)


def test_small_elements_of_a_graded_matrix_have_all_their_digits():
    exact = np.linalg.inv(GRADED.astype(float))
    np.testing.assert_allclose(jit(np.linalg.inv)(GRADED), exact, rtol=2e-7)


def test_they_are_kernels_all_the_same():
    assert "runs as 1 kernel and 0 calls" in str(jit(np.linalg.inv).explain(GRADED))
