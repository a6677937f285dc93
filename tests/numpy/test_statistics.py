"""Means, variances, differences, interpolation, histograms, convolutions and polynomials."""

import numpy as np
import pytest

import autodiff
from autodiff.testing import check_laws
from autodiff.trace.errors import ConcretizationError

RNG = np.random.default_rng(5)
X = RNG.normal(size=(4, 5))
Z = X + 1j * X[::-1]
W = RNG.random((4, 5)) + 0.1
V = RNG.random(5) + 0.1
MASK = RNG.random((4, 5)) > 0.3
MASK[:2] = True
TIMES = np.cumsum(RNG.random(5) + 0.1)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("function", [np.mean, np.var, np.std, np.ptp], ids=lambda f: f.__name__)
def test_axes(function, axis, keepdims):
    check_laws(lambda x: function(x, axis=axis, keepdims=keepdims), (X,))


@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
@pytest.mark.parametrize("function", [np.mean, np.var, np.std], ids=lambda f: f.__name__)
def test_dtypes(function, dtype):
    check_laws(lambda x: function(x, axis=1), ((Z if dtype[0] == "c" else X).astype(dtype),))


@pytest.mark.parametrize("size", [3, 100, 9000])
@pytest.mark.parametrize("function", [np.mean, np.var, np.std], ids=lambda f: f.__name__)
def test_half_precision_has_the_bits_of_numpy(function, size):
    x = RNG.normal(size=(2, size)).astype(np.float16)
    check_laws(lambda x: function(x, axis=1), (x,), only=("value", "spec", "dtype"))
    check_laws(function, (x,), only=("value", "spec", "dtype"))


# fmt: off
OPTIONS = [
    (np.mean, {"where": MASK, "axis": 1}),
    (np.mean, {"dtype": "complex128"}),
    (np.var,  {"where": MASK}),
    (np.var,  {"ddof": 1, "axis": 0}),
    (np.var,  {"ddof": 1.5}),
    (np.std,  {"correction": 1, "axis": 1}),
    (np.std,  {"where": MASK, "axis": 0, "keepdims": True}),
]
# fmt: on


@pytest.mark.parametrize(("function", "options"), OPTIONS)
def test_options(function, options):
    check_laws(lambda x: function(x, **options), (X,))


def test_variance_around_a_given_mean():
    check_laws(lambda x: np.var(x, axis=1, mean=np.mean(x, axis=1, keepdims=True)), (X,))
    with pytest.raises(ValueError, match=r"ddof=1 and correction=2 were both given \(test_statistics.py:\d+\)"):
        autodiff.grad(lambda x: np.var(x, ddof=1, correction=2))(X)


def test_whole_numbers_are_averaged_in_double_precision():
    assert repr(autodiff.eval_shape(np.mean, np.arange(3))) == "float64[]"
    assert repr(autodiff.eval_shape(np.std, np.arange(6).reshape(2, 3))) == "float64[]"


def test_average():
    check_laws(np.average, (X,))
    check_laws(lambda x, w: np.average(x, weights=w), (X, W))
    check_laws(lambda x, w: np.average(x, axis=1, weights=w, returned=True), (X, V))
    check_laws(lambda x, w: np.average(x, axis=0, weights=w, keepdims=True), (X, W))
    with pytest.raises(ZeroDivisionError, match=r"average: the weights sum to zero \(test_statistics.py:\d+\)"):
        autodiff.grad(lambda x: np.average(x, axis=1, weights=np.zeros(5)).sum())(X)


# fmt: off
COVARIANCES = [
    lambda x: np.cov(x),
    lambda x: np.cov(x, x[::-1] ** 2),
    lambda x: np.cov(x, rowvar=False),
    lambda x: np.cov(x, ddof=2),
    lambda x: np.cov(x, bias=True, fweights=[1, 2, 3, 1, 2]),
    lambda x: np.cov(x, aweights=V, fweights=[1, 2, 3, 1, 2]),
    lambda x: np.cov(x[0]),
    lambda x: np.corrcoef(x),
    lambda x: np.corrcoef(x[0], x[1]),
]
# fmt: on


@pytest.mark.parametrize("number", range(len(COVARIANCES)))
def test_covariances(number):
    skip = {"value", "replay"}  # products of matrices may add in another order
    check_laws(COVARIANCES[number], (X,), skip=skip)
    plain, traced = COVARIANCES[number](X), autodiff.vjp(COVARIANCES[number], X)[0]
    np.testing.assert_allclose(traced, plain, rtol=1e-12)
    if number < 4:
        check_laws(COVARIANCES[number], (Z,), skip=skip)


def test_covariance_by_weights():
    check_laws(lambda w: np.cov(X, aweights=w), (V,), skip=("value", "replay"), batch=False)


@pytest.mark.parametrize("axis", [0, -1])
def test_differences(axis):
    places = np.cumsum(W[:, 0]) if axis == 0 else TIMES
    check_laws(lambda x: np.diff(x, axis=axis), (X,))
    check_laws(lambda x: np.diff(x, n=2, axis=axis, prepend=0, append=1.5), (X,))
    check_laws(lambda y, x: np.trapezoid(y, x, axis=axis), (X, places))
    check_laws(lambda y, dx: np.trapezoid(y, dx=dx, axis=axis), (X, 0.3))
    for edge_order in (1, 2):
        check_laws(lambda f: np.gradient(f, axis=axis, edge_order=edge_order), (X,))  # noqa: B023
        check_laws(lambda f, d: np.gradient(f, d, axis=axis, edge_order=edge_order), (X, 0.3))  # noqa: B023
        check_laws(lambda f, t: np.gradient(f, t, axis=axis, edge_order=edge_order), (X, places))  # noqa: B023


def test_differences_of_all_axes():
    check_laws(np.gradient, (X,))
    check_laws(lambda f: np.gradient(f, 0.5, [0.0, 1.0, 3.0, 4.0, 5.0]), (X,))
    check_laws(np.ediff1d, (X,))
    check_laws(lambda x, end, start: np.ediff1d(x, end, start), (X, V, 3.0))


INSIDE = np.array([TIMES[0] + 0.01, TIMES[2] - 0.02, TIMES[-1] - 0.01, -1.0, 9.0])


def test_interpolation():
    check_laws(np.interp, (INSIDE, TIMES, V))
    check_laws(np.interp, (INSIDE.reshape(1, 5), TIMES, V + 1j * V[::-1]))
    check_laws(np.interp, (float(INSIDE[1]), TIMES, V))
    check_laws(lambda x, xp, fp: np.interp(x, xp, fp, left=5.0, right=-1.0), (INSIDE, TIMES, V))
    check_laws(lambda x, xp, fp: np.interp(x, xp, fp, period=1.7), (INSIDE[:3] - 0.13, TIMES, V))
    check_laws(np.interp, (np.array([1.0]), np.array([0.5]), np.array([2.0])), smooth=False)


def test_interpolation_at_the_points():
    slope = autodiff.vmap(autodiff.grad(np.interp), in_axes=(0, None, None))
    points, values = np.array([0.0, 1.0, 3.0]), np.array([1.0, 3.0, 4.0])
    np.testing.assert_array_equal(slope(points, points, values), [2.0, 0.5, 0.0])


def test_histograms():
    numbers = np.array([0, 2, 2, 5, 1])
    check_laws(lambda w: np.bincount(numbers, w, minlength=9), (V,))
    check_laws(lambda w: np.histogram(X[0], [-2.0, 0.0, 1.0, 2.0], weights=w)[0], (V,))
    check_laws(lambda x: np.histogram(x, 5)[1], (X,))
    check_laws(lambda x: np.histogram(x, 5, density=True)[0], (X,))
    check_laws(lambda x: np.histogram_bin_edges(x, 4), (np.ones(3),), smooth=False)
    counts = autodiff.grad(lambda x: np.sum(x) * np.histogram(x, [-9.0, 0.0, 9.0])[0][0])(X)
    np.testing.assert_array_equal(counts, np.full_like(X, np.sum(X < 0)))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(5, 3), (3, 5), (4, 4), (4, 5), (1, 3)])
def test_convolutions(n, m, mode):
    a, v = RNG.normal(size=n), RNG.normal(size=m)
    check_laws(lambda a, v: np.convolve(a, v, mode), (a, v))
    check_laws(lambda a, v: np.correlate(a, v, mode), (a, v))
    check_laws(lambda a, v: np.correlate(a, v, mode), (a + 1j * a[::-1], v - 1j * v[::-1]))


def test_polynomials():
    p, q, t = RNG.normal(size=4), RNG.normal(size=2), np.arange(6.0)
    check_laws(np.polyval, (p, X))
    check_laws(np.polyadd, (p, q))
    check_laws(np.polysub, (q, p))
    check_laws(np.polymul, (p, q), batch=False, skip=("spec", "replay"))
    check_laws(lambda p: np.polyder(p, 2), (p,))
    check_laws(
        lambda u, v: np.polydiv(u, v)[0],
        (np.array([1.0, 2, 3, 4, 5]), p[:2]),
        batch=False,
        skip=("spec", "replay"),
    )
    check_laws(lambda u, v: np.polydiv(u, v)[1], (np.array([1.0, 2, 3, 4, 5]), p), batch=False, skip=("spec", "replay"))
    check_laws(lambda p: np.polyint(p, 2, 0.5), (p,))
    check_laws(np.poly, (p,))
    check_laws(lambda t, y: np.polyfit(t, y, 2), (t, RNG.normal(size=6)), skip=("value", "replay"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_what_is_made_of_nothing_has_the_derivative_zero_in_both_modes(name):
    function, x = getattr(np, name), np.array([[1.0, 5.0], [2.0, 7.0]])
    for f in (lambda x: function(x, axis=0, where=x < 3), lambda x: function(x, where=x < 0)):
        np.testing.assert_array_equal(autodiff.jit(f)(x), f(x))
        expected = autodiff.jacrev(f)(x)
        assert np.isfinite(expected).all()
        np.testing.assert_allclose(autodiff.jacfwd(f)(x), expected, rtol=1e-12)
        np.testing.assert_allclose(autodiff.jit(autodiff.jacfwd(f))(x), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "p",
    [[1.0, -6, 11, -6], [1.0, 0, 1], [2.0, -3, 1, 0], [1.0, 2, 3, 4, 5], [3.0, 1], [1.0, -1, 2, 0], [1 + 2j, 3, -1j]],
)
def test_roots_move_as_the_implicit_function_theorem_says(p):
    """In NumPy's order and dtype, also where one of them is zero, which NumPy leaves out."""
    p = np.array(p)
    expected = np.roots(p)
    powers = len(p) - 1 - np.arange(len(p))
    slopes = -(expected[:, None] ** powers) / np.polyval(np.polyder(p), expected)[:, None]
    value, pull = autodiff.vjp(np.roots, p)
    assert value.dtype == expected.dtype
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-14)
    for k, unit in enumerate(np.eye(len(p))):
        found = autodiff.jvp(np.roots, (p,), (unit.astype(p.dtype),))[1]
        np.testing.assert_allclose(found, slopes[:, k], rtol=1e-10, atol=1e-12)
    for k, unit in enumerate(np.eye(len(expected))):
        found = pull(unit.astype(expected.dtype))[0]
        np.testing.assert_allclose(found, slopes[k] if p.dtype.kind == "c" else slopes[k].real, rtol=1e-10, atol=1e-12)


def test_what_roots_and_remainders_need():
    assert autodiff.vjp(np.roots, np.array([2.0]))[0].shape == (0,)
    with pytest.raises(
        ValueError, match=r"^roots of traced coefficients needs a first one that is not zero, got float64"
    ):
        autodiff.vjp(np.roots, np.array([0.0, 1, 2]))
    with pytest.raises(ConcretizationError, match=r"become an argument of np.polydiv"):
        autodiff.jit(lambda u: np.polydiv(u, u[:2]))(np.ones(3))
    for u, v in (([1.0, 2], [1.0, 2, 3]), ([1.0, 0, -1], [1.0, 1]), ([4.0], [2.0])):
        for found, expected in zip(
            autodiff.vjp(np.polydiv, np.array(u), np.array(v))[0], np.polydiv(u, v), strict=True
        ):
            np.testing.assert_array_equal(found, expected)
