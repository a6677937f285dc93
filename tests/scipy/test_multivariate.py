"""Distributions of vectors, counts and matrices, and densities by kernels: all modes, and what is impossible."""

import numpy as np
import pytest
import scipy.stats

import autodiff
from autodiff.scipy import stats
from autodiff.trace.errors import DifferentiationError
from tests.scipy.observed import DIFFERENTIATED, directions_of, in_mode, of_program
from tests.scipy.programs.check import total
from tests.scipy.programs.distributions import MULTIVARIATE, columns, estimate, some, wide


@pytest.mark.parametrize("name", MULTIVARIATE)
def test_all_modes_and_the_second_order(name):
    program = MULTIVARIATE[name]
    assert of_program(program) == (DIFFERENTIATED,) * 4
    fun, args = total(program), tuple(np.asarray(x, float)[()] for x in program.args)
    directions, step = directions_of(args), 1e-5

    def slope(*args):
        return in_mode(fun, args, directions, "reverse")

    found = autodiff.jvp(slope, args, directions)[1]
    ends = [slope(*(x + sign * step * d for x, d in zip(args, directions, strict=True))) for sign in (1, -1)]
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "args"), [
    ("dirichlet", ([[0.2, 0.3], [0.8, 0.7]], [1.2, 2.3])), ("dirichlet", ([0.2, 0.3], [1.2, 2.3, 0.7])),
    ("multinomial", ([[1, 2], [3, 0], [1, 1]], 3, [0.3, 0.7])), ("multinomial", ([1.5, 1.5], 3, [0.3, 0.7])),
    ("dirichlet_multinomial", ([[1, 2], [3, 1]], [0.3, 0.7], [3, 3])), ("multivariate_t", ([0.3, 1.2], 0.1, 2.0, 3.0)),
    ("multivariate_t", (np.eye(2)[0], None, [[2.0, 0.3], [0.3, 1.0]])),
    ("wishart", (np.array([0.3, 2.0]), 2.0, 1.5)), ("invwishart", (np.stack([np.eye(2), 2 * np.eye(2)], -1), 3.0, [1.0, 2.0])),
    ("matrix_normal", (np.eye(2), np.zeros((2, 2)))), ("matrix_normal", (np.ones((3, 2, 2)), np.eye(2), 2.0, [1.0, 3.0])), ("matrix_t", (np.eye(2), np.ones((2, 2)), 2.0, 3.0, 4.0)),
    ("vonmises_fisher", (np.eye(3), np.array([0.6, 0.8, 0.0]), 2.0)), ("normal_inverse_gamma", ([0.1, 0.2], [1.0, -1.0])),
])  # fmt: skip
def test_values_are_scipys_in_all_shapes(name, args):
    own, log = getattr(scipy.stats, name), "logpmf" if hasattr(getattr(scipy.stats, name), "logpmf") else "logpdf"
    for method in (log, log.removeprefix("log")):
        found = autodiff.vjp(lambda t: getattr(getattr(stats, name), method)(args[0] + 0.0 * t, *args[1:]), 1.0)[0]  # noqa: B023
        expected = getattr(own, method)(*args)
        np.testing.assert_allclose(found, expected, rtol=1e-11)
        assert np.shape(found) == np.shape(expected)


@pytest.mark.parametrize("fun", [
    lambda x: stats.dirichlet.logpdf(x[:2], [1.0, 2.0]), lambda x: stats.dirichlet.logpdf([0.5, 0.5], -x[:2]),
    lambda x: stats.multinomial.logpmf([1, 1], 2, np.stack([x[0] - 1, 2 - x[0]])), lambda x: stats.wishart.logpdf(np.eye(2), x[0], np.eye(2)),
    lambda x: stats.vonmises_fisher.logpdf(x, [1.0, 0.0, 0.0]), lambda x: stats.normal_inverse_gamma.logpdf(0.1, 1.0, 0.0, -x[0]),
])  # fmt: skip
def test_what_is_impossible_is_nan(fun):
    assert np.isnan(autodiff.vjp(fun, some)[0])
    assert np.isnan(autodiff.jit(fun)(some))


def test_student_s_t_of_infinite_freedom_is_normal():
    found = autodiff.grad(lambda x: stats.multivariate_t.logpdf(x, some, 2.0 * np.eye(3), np.inf))(wide)
    np.testing.assert_allclose(found, (some - wide) / 2, rtol=1e-12)


def test_scipys_own_are_adopted():
    for name in (*MULTIVARIATE.keys() - {"gaussian_kde"},):
        assert stats.adopted(getattr(scipy.stats, name)) is getattr(stats, name)
    assert stats.adopted(scipy.stats.ortho_group) is scipy.stats.ortho_group


def test_fixed_parameters():
    fixed = stats.dirichlet([1.2, 2.3])
    assert autodiff.vjp(lambda x: fixed.logpdf(np.stack([x, 1 - x])), 0.3)[0] == fixed.logpdf([0.3, 0.7])
    assert fixed.mean().tolist() == scipy.stats.dirichlet([1.2, 2.3]).mean().tolist()
    value = autodiff.vjp(lambda a: stats.dirichlet(a).pdf([0.3, 0.7]), np.array([1.2, 2.3]))[0]
    assert value == pytest.approx(scipy.stats.dirichlet.pdf([0.3, 0.7], [1.2, 2.3]), rel=1e-13)
    with pytest.raises(ValueError, match="greater than 0"):
        stats.dirichlet([-1.0, 2.0])
    with pytest.raises(DifferentiationError, match=r"^multivariate_t of traced values has no allow_singular=True"):
        autodiff.grad(lambda x: stats.multivariate_t.pdf(x, wide, allow_singular=True))(some)


def test_a_density_by_kernels_is_scipys():
    own = scipy.stats.gaussian_kde(columns, weights=np.exp(np.arange(5.0) / 3) / np.sum(np.exp(np.arange(5.0) / 3)))
    logpdf, pdf, integral = autodiff.vjp(estimate, columns[:, :2], columns, np.arange(5.0) / 3)[0]
    np.testing.assert_allclose(logpdf, own.logpdf(columns[:, :2]), rtol=1e-12)
    np.testing.assert_allclose(pdf, own(columns[:, :2]), rtol=1e-12)
    np.testing.assert_allclose(integral, own.integrate_gaussian(np.zeros(2), np.eye(2)), rtol=1e-12)
    plain = stats.gaussian_kde(some)
    assert plain(1.0) == scipy.stats.gaussian_kde(some)(1.0)
    assert plain.resample(2, seed=0).shape == (1, 2)
    np.testing.assert_allclose(
        autodiff.grad(lambda b: plain.integrate_box_1d(0.0, b))(1.0), scipy.stats.gaussian_kde(some)(1.0)[0], rtol=1e-12
    )
    other = autodiff.grad(lambda d: stats.gaussian_kde(d, 0.7).integrate_kde(plain))(wide)
    step = 1e-6 * np.array([1.0, 0.0, 0.0])
    change = [
        scipy.stats.gaussian_kde(wide + s * step, 0.7).integrate_kde(scipy.stats.gaussian_kde(some)) for s in (1, -1)
    ]
    assert other[0] == pytest.approx((change[0] - change[1]) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("params", [(0.0, 1.0), (None, 2.0), ([0.5], [[2.0]]), (None, [[2.0]])])
@pytest.mark.parametrize("count", [1, 3])
def test_a_vector_of_numbers_that_are_normal(params, count):
    x = np.arange(1.0, count + 1)
    mean, variance = np.sum(params[0] or 0.0), np.sum(params[1])
    for method in ("logpdf", "pdf"):
        found = autodiff.jit(lambda x: getattr(stats.multivariate_normal, method)(x, *params))(x)  # noqa: B023
        expected = getattr(scipy.stats.multivariate_normal, method)(x, *params)
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    slope = autodiff.grad(lambda x: np.mean(stats.multivariate_normal.logpdf(x, *params)))(x)
    np.testing.assert_allclose(slope, -(x - mean) / variance / count)


def test_results_are_squeezed_as_scipys():
    x, cov = np.arange(10.0).reshape(5, 1, 2), np.ones((2, 2))
    for singular, matrix in ((True, cov), (False, cov + np.eye(2))):

        def density(m, x, singular=singular, matrix=matrix):
            return m.multivariate_normal.logpdf(x - x[..., :1], np.zeros(2), matrix, allow_singular=singular)

        np.testing.assert_allclose(autodiff.vjp(lambda x: density(stats, x), x)[0], density(scipy.stats, x))


def test_a_traced_bandwidth():
    def density(m, factor):
        return np.sum(m.gaussian_kde(columns, bw_method=factor).logpdf(columns[:, :2] + 0.1))

    found, pullback = autodiff.vjp(lambda factor: density(stats, factor), 0.6)
    np.testing.assert_allclose(found, density(scipy.stats, 0.6))
    ends = [density(scipy.stats, 0.6 + s * 1e-6) for s in (1, -1)]
    np.testing.assert_allclose(pullback(1.0)[0], (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def test_the_edge_of_a_simplex():
    x, alpha = np.array([0.0, 0.4, 0.6]), np.array([2.0, 1.5, 3.0])
    assert autodiff.jit(lambda alpha: stats.dirichlet.pdf(x, alpha))(alpha) == scipy.stats.dirichlet.pdf(x, alpha) == 0
    np.testing.assert_array_equal(autodiff.grad(lambda alpha: stats.dirichlet.pdf(x, alpha))(alpha), np.zeros(3))
