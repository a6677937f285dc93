"""Moments of any order, expected values, likelihoods and draws of distributions, against SciPy's."""

import numpy as np
import pytest
import scipy.stats

import autodiff
from autodiff.scipy import stats
from autodiff.trace.errors import ConcretizationError, DifferentiationError

# fmt: off
CONTINUOUS = {
    "norm": (), "gamma": (2.2,), "beta": (2.3, 1.6), "t": (5.5,), "expon": (), "weibull_min": (1.8,), "lognorm": (0.6,),
    "uniform": (), "pareto": (5.6,), "genextreme": (-0.1,), "truncnorm": (-1.0, 2.0), "skewnorm": (1.5,), "logistic": (),
}
DISCRETE = {"poisson": (2.3,), "geom": (0.4,), "bernoulli": (0.3,), "nbinom": (5, 0.4), "binom": (6, 0.3)}
# fmt: on
LOC, SCALE = 0.3, 1.3
DRAW = {"size": (2, 3), "random_state": 4}


def slopes(fun, p, step=1e-5):
    """Central differences by each parameter."""
    return np.array([(fun(p + step * e) - fun(p - step * e)) / (2 * step) for e in np.eye(p.size)])


def check(fun, own, p, rtol=1e-6):
    """Value, gradient, forward mode."""
    value, gradient = autodiff.value_and_grad(fun)(p)
    np.testing.assert_allclose(value, own(p), rtol=1e-9)
    np.testing.assert_allclose(gradient, slopes(own, p), rtol, 1e-7)
    np.testing.assert_allclose(autodiff.jvp(fun, (p,), (np.cos(p),))[1], gradient @ np.cos(p), rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        (name, order)
        for name in CONTINUOUS
        for order in (1, 3, 4, 5)
        if order < 5 or name not in ("genextreme", "lognorm")
    ],
)
def test_moments(name, order):
    def by(module):
        return lambda p: getattr(module, name).moment(order, *p[:-2], loc=p[-2], scale=p[-1])

    check(by(stats), by(scipy.stats), np.array([*CONTINUOUS[name], LOC, SCALE]), 1e-5)
    frozen = autodiff.grad(lambda loc: getattr(stats, name)(*CONTINUOUS[name], loc=loc).moment(order))(LOC)
    own = getattr(scipy.stats, name)
    below = own.moment(order - 1, *CONTINUOUS[name], loc=LOC) if order > 1 else 1.0
    np.testing.assert_allclose(frozen, order * below, rtol=1e-7)


@pytest.mark.parametrize("name", ["poisson", "geom", "bernoulli"])
def test_moments_of_counts(name):
    def by(module):
        return lambda p: getattr(module, name).moment(3, p[0])

    check(by(stats), by(scipy.stats), np.array(DISCRETE[name]))


def test_moments_in_batches():
    a = np.array([1.5, 2.5])
    found = autodiff.vmap(lambda a: stats.gamma.moment(3, a))(a)
    np.testing.assert_allclose(found, scipy.stats.gamma.moment(3, a))
    np.testing.assert_allclose(autodiff.jit(lambda a: stats.gamma.moment(3, a))(a), found)
    assert np.isnan(autodiff.value_and_grad(lambda a: stats.gamma.moment(3, a))(-1.0)[0])
    with pytest.raises(ValueError, match="order must be a whole number from 0 on, got -1"):
        autodiff.grad(lambda a: stats.gamma.moment(-1, a))(1.5)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_likelihoods(name):
    x = getattr(scipy.stats, name).ppf([0.2, 0.6, 0.7], *CONTINUOUS[name]) * SCALE + LOC
    ours, own = getattr(stats, name), getattr(scipy.stats, name)
    theta = np.array([*CONTINUOUS[name], LOC, SCALE])
    check(lambda theta: ours.nnlf(theta, x), lambda theta: own.nnlf(theta, x), theta)
    check(lambda x: ours.nnlf(theta, x), lambda x: own.nnlf(theta, x), x)
    theta[-1] = -1.0
    assert autodiff.jvp(lambda theta: ours.nnlf(theta, x), (theta,), (theta,)) == (np.inf, 0.0)


def curved(x):
    return np.cos(0.3 * x)


@pytest.mark.parametrize("name", ["norm", "t", "skewnorm", "logistic"])
def test_expected_values(name):
    def by(module, **bounds):
        return lambda p: getattr(module, name).expect(curved, tuple(p[:-2]), loc=p[-2], scale=p[-1], **bounds)

    p = np.array([*CONTINUOUS[name], LOC, SCALE])
    for bounds in ({}, {"lb": -0.5, "ub": 1.5}, {"lb": 0.2, "conditional": True}):
        check(by(stats, **bounds), by(scipy.stats, **bounds), p, 1e-5)


@pytest.mark.parametrize("name", ["gamma", "expon", "weibull_min", "lognorm"])
def test_expected_values_from_an_end_that_stays(name):
    def by(module):
        return lambda p: getattr(module, name)(*p[:-1], scale=p[-1]).expect(curved)

    check(by(stats), by(scipy.stats), np.array([*CONTINUOUS[name], SCALE]), 1e-5)


def test_expected_values_of_what_jumps_and_closes_over_a_parameter():
    chance = autodiff.grad(lambda loc: stats.norm(loc, 1.0).expect(lambda x: 1.0 * (x > 1)))(0.3)
    np.testing.assert_allclose(chance, scipy.stats.norm.pdf(0.7), rtol=1e-6)
    assert abs(autodiff.grad(lambda a: stats.norm.expect(lambda x: np.cos(a * x)))(0.5) + 0.5 * np.exp(-0.125)) < 1e-9
    mean = autodiff.jit(lambda a: stats.gamma(a).expect())
    np.testing.assert_allclose(mean(2.0), 2.0, rtol=1e-9)
    slope = autodiff.vmap(autodiff.grad(lambda a: stats.gamma(a).expect()))(np.array([2.0, 3.0]))
    np.testing.assert_allclose(slope, 1.0, rtol=1e-6)
    assert stats.norm.expect(lambda x: x) == scipy.stats.norm.expect(lambda x: x)


def test_expected_values_to_an_end_that_moves_are_refused():
    with pytest.raises(DifferentiationError, match="the end of the support moves with a parameter; give lb= inside"):
        autodiff.grad(lambda loc: stats.expon.expect(curved, loc=loc))(0.3)
    with pytest.raises(DifferentiationError, match="give ub= inside"):
        autodiff.grad(lambda scale: stats.uniform.expect(curved, scale=scale))(0.3)


@pytest.mark.parametrize("name", DISCRETE)
def test_expected_values_of_counts(name):
    *counts, last = DISCRETE[name]

    def by(module):
        return lambda p: getattr(module, name).expect(curved, (*counts, p[0]), loc=1)

    check(by(stats), by(scipy.stats), np.array([last]))
    slope = autodiff.grad(lambda loc: getattr(stats, name)(*DISCRETE[name], loc=loc).expect(curved))(2.0)
    own = getattr(scipy.stats, name)(*DISCRETE[name], loc=2)
    np.testing.assert_allclose(slope, own.expect(lambda k: -0.3 * np.sin(0.3 * k)), rtol=1e-7)
    with pytest.raises(DifferentiationError, match="divide by sf"):
        autodiff.grad(lambda p: getattr(stats, name).expect(curved, (*counts, p), conditional=True))(last)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_draws_keep_their_quantile(name):
    ours, own = getattr(stats, name), getattr(scipy.stats, name)
    p = np.array([*CONTINUOUS[name], LOC, SCALE])

    def draws(p):
        return ours.rvs(*p[:-2], loc=p[-2], scale=p[-1], **DRAW)

    np.testing.assert_allclose(autodiff.vjp(draws, p)[0], own.rvs(*p[:-2], LOC, SCALE, **DRAW), rtol=1e-12)
    moved = autodiff.jacfwd(lambda p: ours.cdf(draws(p), *p[:-2], loc=p[-2], scale=p[-1]))(p)
    np.testing.assert_allclose(moved, 0.0, atol=1e-8)
    np.testing.assert_allclose(autodiff.jacrev(draws)(p), autodiff.jacfwd(draws)(p), rtol=1e-9)


def test_second_derivatives_of_draws():
    found = autodiff.grad(autodiff.grad(lambda c: stats.weibull_min.rvs(c, random_state=1)))(1.8)
    y = scipy.stats.weibull_min.rvs(1.8, random_state=1)  # an exponential number to the power 1 / c
    log = np.log(y) * 1.8
    np.testing.assert_allclose(found, y * (log**2 / 1.8**4 + 2 * log / 1.8**3), rtol=1e-9)


def test_draws_in_batches_and_compiled():
    loc = np.array([0.0, 2.0])
    found = autodiff.vmap(lambda loc: stats.norm(loc, 2.0).rvs(3, random_state=1))(loc)
    np.testing.assert_allclose(found, [scipy.stats.norm.rvs(m, 2.0, 3, random_state=1) for m in loc])
    scaled = autodiff.jit(lambda s: stats.gamma.rvs(2.0, scale=s, size=3, random_state=1))(2.0)
    np.testing.assert_allclose(scaled, 2.0 * scipy.stats.gamma.rvs(2.0, size=3, random_state=1))
    assert np.isnan(autodiff.vmap(lambda s: stats.norm.rvs(scale=s, random_state=1))(np.array([-1.0])))
    with pytest.raises(ConcretizationError, match=r"argument of scipy\.stats\.gamma\.rvs"):
        autodiff.jit(lambda a: stats.gamma.rvs(a, random_state=1))(2.0)


def test_draws_that_are_refused():
    for name in ("vonmises", "poisson"):
        with pytest.raises(DifferentiationError, match=rf"scipy\.stats\.{name}\.rvs cannot be called"):
            autodiff.grad(lambda p, name=name: getattr(stats, name).rvs(p, random_state=1))(2.0)


def test_erlang_decides_nothing_by_values():
    a = np.array([2.0, 3.0])
    found = autodiff.vmap(lambda a: stats.erlang.logpdf(2.0, a))(a)
    np.testing.assert_allclose(found, scipy.stats.erlang.logpdf(2.0, a))


def test_frozen_distributions_are_asked_for_what_they_have():
    def asked(p):
        assert not hasattr(stats.norm(p), "shape")
        with pytest.raises(DifferentiationError, match=r"scipy\.stats\.norm\(\.\.\.\)\.random_state"):
            stats.norm(p).random_state  # noqa: B018
        return p

    assert autodiff.grad(asked)(1.0) == 1.0
    assert stats.norm(1.0).a == -np.inf


@pytest.mark.parametrize("of", [
    lambda module, p: module.poisson_binom.stats(p, moments="mvsk"),
    lambda module, p: module.poisson_binom(p).stats("s"),
    lambda module, p: module.poisson_binom.moment(3, p, loc=1),
    lambda module, p: module.poisson_binom.expect(curved, args=(p,)),
    lambda module, p: (module.poisson_binom.ppf(0.4, p), module.poisson_binom(p).median(), module.poisson_binom.isf(0.4, p)),
])  # fmt: skip
def test_counts_of_trials_with_chances_of_their_own(of):
    def total(module):
        def sum_of(p):
            found = of(module, p)
            return sum(found) if isinstance(found, tuple) else found * 1.0

        return sum_of

    check(total(stats), total(scipy.stats), np.array([0.2, 0.5, 0.7]))


def test_samples_of_several_lengths_are_transformed_apart():
    x, y = np.array([0.3, 1.2, 2.5]), np.array([0.1, 0.4, 1.1, 2.0])
    found = autodiff.jvp(lambda x: stats.obrientransform(x, y)[0], (x,), (np.cos(x),))
    np.testing.assert_allclose(found[0], scipy.stats.obrientransform(x, y)[0])
    ends = [scipy.stats.obrientransform(x + h * np.cos(x), y)[0] for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(found[1], (ends[0] - ends[1]) / 2e-6, rtol=1e-6)
