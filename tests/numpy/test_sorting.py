"""Sorting, searching, medians and quantiles."""

import numpy as np
import pytest

import autodiff
from autodiff.numpy.statistics.quantiles import METHODS
from autodiff.testing import check_laws

RNG = np.random.default_rng(3)
X = RNG.normal(size=(3, 7))
DEEP = RNG.normal(size=(3, 4, 3))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_sorting(axis):
    check_laws(lambda x: np.sort(x, axis=axis), (X,))
    check_laws(lambda x: np.sort(x, axis=axis), (X + 1j * X[::-1],))
    check_laws(lambda x: np.partition(x, 2, axis=axis), (X,))
    check_laws(lambda x: np.take_along_axis(x, np.argsort(x, axis=axis), axis), (X,))


def test_equal_elements_keep_their_order():
    weights = np.array([1.0, 2.0, 3.0])
    sorted_sum = autodiff.grad(lambda x: np.sum(np.sort(x) * weights))
    np.testing.assert_array_equal(sorted_sum(np.array([2.0, 1.0, 1.0])), [3.0, 1.0, 2.0])


def test_different_elements():
    weights = np.array([1.0, 2.0])
    different = autodiff.grad(lambda x: np.sum(np.unique(x) * weights))
    np.testing.assert_array_equal(different(np.array([2.0, 1.0, 1.0])), [2.0, 1.0, 0.0])
    check_laws(np.unique, (X,), batch=False, skip=("spec", "replay"))
    check_laws(lambda x: np.unique(x, return_index=True, return_counts=True)[0], (X,), only=("value", "reverse"))


def test_orders_are_staged():
    def orders(x):
        return (
            np.argsort(x, axis=0), np.argpartition(x, 2), np.lexsort((x[0], x[1])), np.searchsorted(np.sort(x[0]), x),
            np.digitize(x, [-1.0, 0.0, 1.0]), np.digitize(x, [1.0, 0.0, -1.0], right=True),
        )  # fmt: skip

    staged = autodiff.eval_tape(autodiff.make_tape(orders)(X), X)
    for arrived, expected in zip(staged, orders(X), strict=True):
        np.testing.assert_array_equal(arrived, expected)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
def test_quantile_axes(axis, keepdims):
    check_laws(lambda x: np.median(x, axis=axis, keepdims=keepdims), (DEEP,))
    check_laws(lambda x: np.quantile(x, 0.3, axis=axis, keepdims=keepdims), (DEEP,))
    check_laws(lambda x: np.percentile(x, [30, 31.5, 77.7], axis=axis, keepdims=keepdims), (DEEP,))


@pytest.mark.parametrize("method", METHODS)
def test_quantile_methods(method):
    check_laws(lambda x: np.quantile(x, 0.3, axis=1, method=method), (X.astype(np.float32),))
    check_laws(lambda x: np.nanquantile(x, [[0.1, 0.2], [0.6, 0.9]], axis=1, method=method), (X,))
    check_laws(lambda x: np.quantile(x, [0.0, 0.5, 0.8, 1.0], axis=0, method=method), (X,))


@pytest.mark.parametrize("method", ["linear", "hazen", "weibull", "median_unbiased"])
def test_quantile_by_q(method):
    check_laws(lambda x, q: np.quantile(x, q, axis=1, method=method), (X, np.array([0.11, 0.22, 0.54])))
    check_laws(lambda x, q: np.nanpercentile(x, q, axis=1, method=method), (X, 31.0))


# fmt: off
KINKS = [
    (np.median,    [1.0, 2.0, 3.0, 4.0],  [0.0, 0.5, 0.5, 0.0]),
    (np.median,    [1.0, 1.0, 1.0],       [0.0, 1.0, 0.0]),
    (np.median,    [1.0, np.nan, 3.0],    [0.0, 0.0, np.nan]),
    (np.nanmedian, [1.0, np.nan, 3.0],    [0.5, 0.0, 0.5]),
    (np.nanmedian, [1.0, np.nan, np.nan], [1.0, 0.0, 0.0]),
]
# fmt: on


@pytest.mark.parametrize(("function", "x", "expected"), KINKS)
def test_kinks(function, x, expected):
    np.testing.assert_array_equal(autodiff.grad(function)(np.array(x)), expected)


def test_elements_that_are_not_chosen_contribute_nothing():
    with np.errstate(all="ignore"):
        x = np.array([0.0, 1.0, 4.0])
        np.testing.assert_array_equal(autodiff.grad(lambda x: np.median(np.sqrt(x)))(x), [0.0, 0.5, 0.0])
        np.testing.assert_array_equal(autodiff.grad(lambda x: np.quantile(np.sqrt(x), 0.75))(x), [0.0, 0.25, 0.125])


# fmt: off
ERRORS = [
    (lambda x: np.quantile(x, 0.5, method="best"), ValueError, "quantile has no method 'best' (test_sorting.py:LINE); "
     f"the methods are {', '.join(METHODS)}"),
    (lambda x: np.quantile(x, 1.5), ValueError, "quantile needs q between 0 and 1 (test_sorting.py:LINE)"),
    (lambda x: np.percentile(x, 101), ValueError, "percentile needs q between 0 and 100 (test_sorting.py:LINE)"),
    (lambda x: np.median(np.quantile(x + 0j, 0.5)), TypeError, "quantile needs real numbers, got complex128[3,7] "
     "(test_sorting.py:LINE); complex ones have no order"),
    (lambda x: np.quantile(x, 0.5, weights=x, method="inverted_cdf"), ValueError, "quantile got negative weights "
     "(test_sorting.py:LINE); they count elements"),
    (lambda x: np.sort(x, order="a"), TypeError, "sort with order='a' sorts arrays with fields, which cannot be "
     "traced (test_sorting.py:LINE)"),
]
# fmt: on


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_errors(call, error, text):
    with pytest.raises(error) as caught:
        autodiff.grad(call)(X)
    assert str(caught.value) == text.replace("LINE", str(call.__code__.co_firstlineno))
