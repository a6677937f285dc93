"""What distributions do at the edges of their support, and what they refuse."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff
from autodiff.chainer import distributions as D
from autodiff.chainer import functions as F
from autodiff.chainer.distribution import Distribution, cross_entropy, kl_divergence, register_kl
from autodiff.facade import Variable, no_backprop_mode

A = np.array([0.3, 0.6], np.float32)
INF = np.inf


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: D.Normal(A), "Normal needs either scale or log_scale, and neither arrived"),
        (lambda: D.Normal(A, A, log_scale=A), "Normal needs either scale or log_scale, and both arrived"),
        (lambda: D.Bernoulli(), "Bernoulli needs either p or logit, and neither arrived"),
        (lambda: D.Bernoulli(A, A), "Bernoulli needs either p or logit, and both arrived"),
        (lambda: D.Categorical(A, logit=A), "Categorical needs either p or logit, and both arrived"),
        (lambda: D.Uniform(low=A), "Uniform needs either low and high or loc and scale, and neither arrived"),
        (lambda: D.MultivariateNormal(A), "MultivariateNormal needs scale_tril, the factor of the covariance"),
        (lambda: D.Independent(D.Normal(A, A), 2), "reinterpreted_batch_ndims must be from 0 to 1, the number of axes"),
    ],
)
def test_arguments_that_do_not_fit(make, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        make()


def test_single_events_without_axes():
    half, two = np.array(0.5, np.float32), np.array(2, np.float32)
    found = (
        D.Beta(two, two).log_prob(half),
        D.Poisson(two).log_prob(np.array(2)),
        D.Poisson(two).log_prob(two[()]),
        D.Exponential(two).icdf(half),
        D.Cauchy(two, two).icdf(half),
    )
    np.testing.assert_allclose(
        [y.array for y in found], [np.log(1.5), np.log(2) - 2, np.log(2) - 2, np.log(2) / 2, 2], rtol=1e-5
    )
    assert {y.shape for y in found} == {()}


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword"):
        D.Normal(A, sigma=A)


@pytest.mark.parametrize(
    ("dist", "x", "expected"),
    [
        (D.Beta(A, A), [-1, 2], [-INF, -INF]),
        (D.Beta(A, A), [0, 1], [INF, INF]),
        (D.Gamma(A, A), [0, -1], [INF, -INF]),
        (D.Exponential(A), [0, -1], [np.log(0.3), -INF]),
        (D.Pareto(A, A), [0, -1], [-INF, -INF]),
        (D.Poisson(A), [0, -1], [-0.3, -INF]),
        (D.Uniform(low=A, high=A + 1), [0, 1.6], [-INF, 0]),
        (D.Bernoulli(A, binary_check=True), [0.5, 1], [-INF, np.log(0.6)]),
        (D.Bernoulli(logit=np.array([-INF, INF], np.float32)), [0, 1], [0, 0]),
        (D.Bernoulli(logit=np.array([-INF, INF], np.float32)), [1, 0], [-INF, -INF]),
    ],
)
@pytest.mark.filterwarnings("ignore:(divide|invalid)")
def test_logarithms_of_probabilities_at_the_edges(dist, x, expected):
    found = dist.log_prob(np.array(x, np.float32)).array
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore:divide")
def test_certain_events_have_no_entropy():
    certain = np.array([1, 0], np.float32)
    assert D.Bernoulli(certain).entropy.array.tolist() == [0, 0]
    assert D.Categorical(certain).entropy.array == 0
    assert D.OneHotCategorical(certain).log_prob(certain).array == 0
    assert kl_divergence(D.Categorical(certain), D.Categorical(np.full(2, 0.5, "f"))).array == pytest.approx(np.log(2))


def test_whole_numbers_are_events():
    assert D.Bernoulli(A).prob(np.array([1, 0])).array == pytest.approx([0.3, 0.4])
    assert D.Poisson(A).log_prob(np.array([0, 1])).array == pytest.approx([-0.3, np.log(0.6) - 0.6])
    assert D.Categorical(A).log_prob(np.array(1)).array == pytest.approx(np.log(0.6))


def test_infinite_moments_of_the_pareto_distribution():
    dist = D.Pareto(Variable(A), Variable(np.array([1.5, 0.5], np.float32)))
    assert dist.mean.array == pytest.approx([0.9, INF])
    assert dist.variance.array.tolist() == [INF, INF]


def test_the_cauchy_distribution_has_no_moments():
    with pytest.warns(RuntimeWarning, match="the Cauchy distribution has no mean; it is NaN"):
        assert np.isnan(D.Cauchy(A, A).mean.array).all()


def test_what_has_no_formula_raises():
    with pytest.raises(NotImplementedError, match="Beta has no cdf"):
        D.Beta(A, A).cdf(A)
    with pytest.raises(NotImplementedError, match="Distribution has no sample_n"):
        Distribution().sample()
    with pytest.raises(RuntimeError, match="several events have one probability"):
        D.Independent(D.Normal(A, A)).icdf(A)


def test_quantities_are_kept_and_apart_without_backprop():
    dist = D.Normal(A, A)
    kept = dist.log_scale
    assert dist.log_scale is kept
    with no_backprop_mode():
        assert dist.log_scale is dist.log_scale is not kept


def test_draws_depend_on_the_parameters():
    loc, scale = Variable(A), Variable(A + 1)
    draw = D.Normal(loc, scale).sample((2, 3))
    assert draw.shape == (2, 3, 2)
    draw.grad = np.ones_like(draw.array)
    draw.backward()
    assert loc.grad.tolist() == [6, 6]
    np.testing.assert_allclose(scale.grad, ((draw.array - A) / (A + 1)).sum((0, 1)), rtol=1e-5)


def test_independent_events():
    normal = D.Normal(np.zeros((2, 3)), np.ones(3))
    joint = D.Independent(normal)
    assert (joint.batch_shape, joint.event_shape) == ((2,), (3,))
    assert joint.entropy.shape == (2,)
    np.testing.assert_allclose(joint.entropy.array, 3 * normal.entropy.array[0])
    np.testing.assert_allclose(joint.prob(np.ones((2, 3))).array, np.exp(joint.log_prob(np.ones((2, 3))).array))
    assert D.Independent(normal, 2).log_prob(np.zeros((2, 3))).shape == ()


def test_covariance_of_independent_vectors():
    tril = np.array([[[1.0, 0.0], [2.0, 1.0]], [[3.0, 0.0], [0.0, 1.0]]])
    joint = D.Independent(D.MultivariateNormal(np.zeros((2, 2)), scale_tril=tril), 1)
    expected = [[1, 2, 0, 0], [2, 5, 0, 0], [0, 0, 9, 0], [0, 0, 0, 1]]
    assert joint.covariance.array.tolist() == expected


def test_divergences():
    first, second = D.Normal(A, A), D.Normal(A + 1, A)
    np.testing.assert_allclose(cross_entropy(first, second).array, (first.entropy + kl_divergence(first, second)).array)
    joined = kl_divergence(D.Independent(first, 1), D.Independent(second, 1))
    np.testing.assert_allclose(joined.array, kl_divergence(first, second).array.sum(), rtol=1e-6)
    with pytest.raises(ValueError, match=r"must have one shape, got \(2,\) and \(\)"):
        kl_divergence(D.Independent(first, 1), D.Independent(second, 0))
    with pytest.raises(KeyError, match="no KL divergence of Normal and Beta is known"):
        kl_divergence(first, D.Beta(A, A))


def test_divergences_of_own_distributions():
    class Point(Distribution):
        pass

    @register_kl(Point, D.Normal)
    def divergence(point, normal):
        return "found"

    assert kl_divergence(Point(), D.Normal(A, A)) == "found"


def test_infinite_divergences():
    assert kl_divergence(D.Pareto(A, A), D.Pareto(A + 1, A)).array.tolist() == [INF, INF]
    wide, narrow = D.Uniform(low=A - 3, high=A), D.Uniform(loc=A, scale=A)
    assert kl_divergence(wide, narrow).array.tolist() == [INF, INF]


def test_gradients_of_plain_functions():
    def log_density(loc):
        return F.sum(D.Normal(loc, np.array([2.0])).log_prob(np.array([3.0]))).array

    assert autodiff.grad(log_density)(np.array([1.0])) == pytest.approx([0.5])
