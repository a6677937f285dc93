"""Histograms, counts and weighted quantiles: values and errors of NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff

RNG = np.random.default_rng(13)
X, Y, Z = RNG.normal(size=(3, 30))
WEIGHTS = RNG.uniform(size=30)
EDGES = np.array([-1.0, 0.0, 0.5, 1.0])


def assert_alike(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        for mine, its in zip(ours, theirs, strict=True):
            assert_alike(mine, its)
    else:
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize(
    "program",
    [
        lambda w: np.histogram2d(X, Y, weights=w),
        lambda w: np.histogram2d(X, Y, [3, 4], weights=w, density=True),
        lambda w: np.histogram2d(X, Y, [EDGES, 4], weights=w),
        lambda w: np.histogram2d(X, Y, EDGES, weights=w),
        lambda w: np.histogram2d(X, Y, 4, range=[[-1, 1], [0, 2]], weights=w),
        lambda w: np.histogram2d(X.astype(np.float32), Y.tolist(), 3, weights=w),
        lambda w: np.histogram2d(np.round(X), np.round(Y), np.array([-2, -1, 0, 1, 2.0]), weights=w),  # on edges
        lambda w: np.histogramdd(np.stack([X, Y, Z], 1), 3, weights=w),
        lambda w: np.histogramdd([X, Y, Z], (2, 3, 4), density=True, weights=w),
        lambda w: np.histogramdd(X, 3, weights=w),
        lambda w: np.histogramdd([X, Y], 3, range=[(0, 1), None], weights=w),
        lambda w: (np.bincount(X > 0, weights=w),),
    ],
)
def test_sums_of_weights(program):
    theirs = program(WEIGHTS)
    assert_alike(autodiff.vjp(program, WEIGHTS)[0], theirs)
    assert_alike(autodiff.jit(program, backend="numpy")(WEIGHTS), theirs)


def test_counts_are_constant_and_edges_follow_the_extremes():
    assert not autodiff.grad(lambda x: np.sum(np.histogram2d(x, Y, 4)[0] * 1.0))(X).any()
    gradient = autodiff.grad(lambda x: np.sum(np.histogram2d(x, Y, 4)[1] ** 2))(X)
    assert set(np.flatnonzero(gradient)) == {X.argmin(), X.argmax()}


def test_histograms_refuse():
    with pytest.raises(ValueError, match=r"^histogramdd of points with 2 coordinates got bins for 3 and ranges for 2"):
        autodiff.vjp(lambda w: np.histogramdd([X, Y], [1, 2, 3], weights=w), WEIGHTS)
    with pytest.raises(TypeError, match=r"^histogramdd sums real weights, got complex ones \(test_counting.py:\d+\)"):
        autodiff.vjp(lambda w: np.histogramdd([X, Y], 2, weights=1j * w), WEIGHTS)


ELEMENTS = np.round(RNG.normal(size=(3, 4, 2)), 1)


@pytest.mark.parametrize("function", [np.quantile, np.nanquantile])
@pytest.mark.parametrize("q", [0, 0.3, 1, [0.1, 0.5, 1.0]])
@pytest.mark.parametrize(
    ("axis", "shape"), [(None, (3, 4, 2)), (0, (3, 4, 2)), (1, (4,)), ((0, 2), (3, 4, 2)), ((2, 0), (2, 3))]
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning")
def test_weighted_quantiles(function, q, axis, shape):
    if function is np.nanquantile and shape != ELEMENTS.shape:
        axis, shape = 1, ELEMENTS.shape  # other weights NumPy refuses
    weights = np.random.default_rng(len(shape)).integers(0, 3, size=shape)
    weights.flat[0] += 1

    def program(x):
        return function(x, q, axis=axis, weights=weights, method="inverted_cdf")

    try:
        theirs = program(ELEMENTS)
    except ValueError:  # a line without any weight
        with pytest.raises(ValueError, match=rf"^the weights of {function.__name__} are NaN, infinite or all zero"):
            autodiff.vjp(program, ELEMENTS)
        return
    assert_alike(autodiff.vjp(program, ELEMENTS)[0], theirs)
    assert_alike(autodiff.jit(program, backend="numpy")(ELEMENTS), theirs)


def test_nan_has_no_weight():
    x = np.array([3.0, np.nan, 1.0, 2.0])
    weights = np.array([1.0, 5.0, 1.0, 2.0])

    def program(x):
        return np.nanquantile(x, 0.6, weights=weights, method="inverted_cdf")

    assert_alike(autodiff.vjp(program, x)[0], program(x))
    np.testing.assert_array_equal(autodiff.grad(program)(x), [0.0, 0.0, 0.0, 1.0])
    assert np.isnan(autodiff.vjp(lambda x: np.quantile(x, 0.6, weights=weights, method="inverted_cdf"), x)[0])


def test_weighted_quantiles_refuse():
    with pytest.raises(ValueError, match=r"^quantile takes weights by the method 'inverted_cdf', got 'linear' \("):
        autodiff.vjp(lambda x: np.quantile(x, 0.5, weights=np.ones(4)), np.ones(4))
    with pytest.raises(ValueError, match=r"^quantile got negative weights \(test_counting.py:\d+\)"):
        autodiff.vjp(lambda x: np.quantile(x, 0.5, weights=-np.ones(4), method="inverted_cdf"), np.ones(4))
    with pytest.raises(TypeError, match=r"^quantile got weights \(3,\) for an array \(4,\)"):
        autodiff.vjp(lambda x: np.quantile(x, 0.5, weights=np.ones(3), method="inverted_cdf"), np.ones(4))
