"""Rounding errors of long sums: of equal numbers each addition errs the same way, and one after another they pile up."""

import numpy as np
import pytest
import scipy.special as sp

import autodiff
from autodiff import grad, jit, scan
from tests.backends.kernels.running import needs_numba

pytestmark = needs_numba

LARGEST = 32
"""Units in the last place: what docs/jit.md says of sums of up to some millions of numbers."""

TENTH = 0.1


def matrix(columns):
    return lambda n, dtype: np.full((n, columns), TENTH, dtype)


def wide(n, dtype):
    return np.full((3, n), TENTH, dtype)


def vector(n, dtype):
    return np.full(n, TENTH, dtype)


def bias_gradient(x):
    return grad(lambda b: np.sum((x + b) ** 2 * 0.5))(np.zeros(x.shape[1], x.dtype))


def loss_with_gradient(x):
    _, slope = autodiff.value_and_grad(lambda b: np.mean((x + b) ** 2))(np.zeros(x.shape[1], x.dtype))
    return slope * len(x) * x.shape[1] / 2


# fmt: off
SUMS = {  # name: function, argument, how often it adds up the number
    "vector":              (lambda x: np.sum(x * 1.0),                                vector,      1),
    "vector of functions": (lambda x: np.sum(np.exp(x) * 0 + x),                      vector,      1),
    "gammaln":             (lambda x: np.sum(sp.gammaln(x + 1) * 0 + x),              vector,      1),
    "masked":              (lambda x: np.sum(x, where=x > 0),                         vector,      1),
    "mean":                (lambda x: np.mean(x * 1.0) * len(x),                      vector,      1),
    "rows":                (lambda x: np.sum(x * 1.0, axis=1),                        wide,        1),
    "shares of rows":      (lambda x: np.sum(x / np.sum(x, axis=1, keepdims=True) * 0 + x, axis=1), wide, 1),
    "rows of transposed":  (lambda x: np.sum((x * 1.0).T, axis=0),                    wide,        1),
    "columns, 1":          (lambda x: np.sum(x * 1.0, axis=0),                        matrix(1),   1),
    "columns, 3":          (lambda x: np.sum(x * 1.0, axis=0),                        matrix(3),   1),
    "columns, 10":         (lambda x: np.sum(np.exp(x) * 0 + x, axis=0),              matrix(10),  1),
    "columns, 70":         (lambda x: np.sum(x * 1.0, axis=0),                        matrix(70),  1),
    "columns and total":   (lambda x: np.sum(x * 1.0, axis=0) + 0 * np.sum(np.sin(x)), matrix(5),  1),
    "total":               (lambda x: np.sum(x * 1.0),                                matrix(7),   7),
    "total of rows":       (lambda x: np.sum(x / np.sum(x, axis=1, keepdims=True) * 0 + x), matrix(70), 70),
    "gradient of a bias":  (bias_gradient,                                            matrix(4),   1),
    "value and gradient":  (loss_with_gradient,                                       matrix(4),   1),
    "in a loop":           (lambda x: scan(lambda c, _: (c, np.sum(x * 1.0)), x[0], x[:2])[1], vector, 1),
    "columns in a loop":   (lambda x: scan(lambda c, _: (c, np.sum(x * 1.0, axis=0)), x[0], x[:2])[1], matrix(3), 1),
}
# fmt: on


def ulps(found, exact):
    """How far numbers are from the exact one, in units in its last place."""
    unit = np.spacing(found.dtype.type(exact))
    return np.max(np.abs(np.asarray(found, np.longdouble) - exact)) / unit


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", SUMS)
def test_long_sums_of_equal_numbers(name, dtype):
    fun, made, times = SUMS[name]
    for n in (20_000, 100_000):
        x = made(n, dtype)
        if x.size > 2_000_000:
            continue
        exact = np.longdouble(x.flat[0]) * n * times
        assert ulps(np.asarray(jit(fun)(x)), exact) < LARGEST


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_numbers_that_differ_are_as_exact_as_numpys(dtype):
    random = np.random.default_rng(0)
    x = random.random((100_000, 3)).astype(dtype)
    exact = np.sum(x.astype(np.longdouble), axis=0)
    for fun in (lambda x: np.sum(x * 1.0, axis=0), lambda x: np.sum(x.T * 1.0, axis=1)):
        found = jit(fun)(x)
        assert np.max(np.abs(found - exact) / np.spacing(exact.astype(dtype))) < 8


@pytest.mark.parametrize("bad", [[np.inf], [-np.inf, np.inf], [np.nan], [3e38, 3e38, 3e38]])
def test_what_is_not_finite_stays_so(bad):
    x = np.ones((2000, 3), np.float32)
    x[700 : 700 + len(bad), 1] = bad
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(jit(lambda x: np.sum(x * 1, axis=0))(x), np.sum(x, axis=0))
        np.testing.assert_array_equal(jit(lambda x: np.sum(x.T * 1, axis=1))(x)[[0, 2]], [2000, 2000])


def test_sums_do_not_depend_on_the_number_of_threads():
    x = np.random.default_rng(0).random((50_000, 70))
    fun = jit(lambda x: (np.sum(np.sin(x), axis=0), np.sum(np.sin(x), axis=1), np.sum(np.sin(x))))
    before, found = autodiff.get_num_threads(), []
    try:
        for count in (1, 2, 3):
            autodiff.set_num_threads(count)
            found.append(fun(x))
    finally:
        autodiff.set_num_threads(before)
    for other in found[1:]:
        for one, same in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, same)


def test_few_rows_need_no_blocks():
    """Kernels of few rows keep their text, and their speed."""
    fun = lambda x: np.sum(np.exp(x), axis=0)  # noqa: E731
    for rows, blocks in ((500, False), (600, True)):
        (kernel,) = jit(fun).kernels(np.ones((rows, 1000)))
        assert ("for first in range" in kernel.text) == blocks
