"""Reductions: the primitives by all laws, and the kinks at the point itself."""

import numpy as np
import pytest

import autodiff
from autodiff.ops.reductions import reduce
from autodiff.ops.reductions.logsumexp import logaddexp_axes
from autodiff.testing import Case, check_case, check_laws
from autodiff.testing.draws.domains import distinct, positive, real

COMPLEX = ("float64", "float32", "complex128", "complex64")
MASK = np.array([[True, False, True], [True, True, False]])
SHAPES = [(2, 3), (4, 2, 3), (2, 2, 3)]

# fmt: off
CASES = [
    Case("sum_as",    lambda x: reduce.sum_as(x, axes=(-1,), dtype=np.dtype(np.complex128)), shapes=SHAPES),
    Case("sum_where", lambda x: reduce.sum_where(x, np.broadcast_to(MASK, np.shape(x)), axes=(-1,), dtype=x.dtype),
         shapes=SHAPES, dtypes=COMPLEX),
    Case("sum_from",  lambda x, s: reduce.sum_from(x, True, s, axes=(-2, -1), dtype=x.dtype), arity=2,
         dtypes=("float64",), shapes=[((2, 3), ()), ((4, 2, 3), ())], scalars=False),
    Case("max",       lambda x: reduce.max_axes(x, axes=(-2,)), distinct, shapes=SHAPES, dtypes=COMPLEX),
    Case("min",       lambda x: reduce.min_axes(x, axes=(-2, -1)), distinct, shapes=SHAPES, dtypes=COMPLEX),
    Case("prod",      lambda x: reduce.prod_axes(x, axes=(-1,)), real, shapes=SHAPES, dtypes=COMPLEX),
    Case("prod 2",    lambda x: reduce.prod_axes(x, axes=(-3, -1)), real, shapes=[(2, 3, 2), (1, 2, 2, 1)]),
    Case("prod 0",    lambda x: reduce.prod_axes(x, axes=(-1,)), real, shapes=[(2, 0), (0, 2), (0,)]),
    Case("logaddexp", lambda x: logaddexp_axes(x, axes=(-2,)), real, shapes=SHAPES),
    Case("root",      reduce.root, positive),
]
# fmt: on


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


@pytest.mark.parametrize("x", [[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.0, -1.0, 2.0, 5.0]])
def test_product_of_zeros_has_all_derivatives(x):
    check_laws(np.prod, (np.array(x),))


def test_product_takes_other_elements_only():
    np.testing.assert_array_equal(autodiff.grad(np.prod)(np.array([0.0, 2.0, 3.0])), [6.0, 0.0, 0.0])
    np.testing.assert_array_equal(autodiff.grad(np.prod)(np.array([0.0, 0.0, 3.0])), [0.0, 0.0, 0.0])
    underflowing = np.array([1e-200, 1e-200, 1e200])
    np.testing.assert_allclose(autodiff.grad(np.prod)(underflowing), [1.0, 1.0, 0.0], rtol=1e-15)


# fmt: off
KINKS = [
    (np.max, [1.0, 1.0, 0.0],       [0.5, 0.5, 0.0]),
    (np.min, [1.0, 1.0, 2.0],       [0.5, 0.5, 0.0]),
    (np.max, [2.0, 2.0, 2.0, 2.0],  [0.25, 0.25, 0.25, 0.25]),
    (np.max, [np.nan, 1.0],         [np.nan, 0.0]),
    (np.min, [np.nan, 1.0],         [np.nan, 0.0]),
    (np.max, [np.inf, 1.0],         [1.0, 0.0]),
    (np.std, [1.0, 1.0, 1.0],       [0.0, 0.0, 0.0]),
    (np.var, [1.0, 1.0, 1.0],       [0.0, 0.0, 0.0]),
    (np.logaddexp.reduce, [-np.inf, -np.inf], [0.0, 0.0]),
    (np.logaddexp.reduce, [-np.inf, 0.0],     [0.0, 1.0]),
    (np.logaddexp.reduce, [np.inf, 0.0],      [1.0, 0.0]),
    (np.logaddexp.reduce, [1000.0, 1000.0],   [0.5, 0.5]),
]
# fmt: on


@pytest.mark.parametrize(("function", "x", "expected"), KINKS)
def test_kinks(function, x, expected):
    x = np.array(x)
    np.testing.assert_array_equal(autodiff.grad(function)(x), expected)
    forward = [autodiff.jvp(function, (x,), (unit,))[1] for unit in np.eye(x.size)]
    if not np.isnan(x).any():  # along (0, 1) a gradient (nan, 0) gives nan, as the sum of products does
        np.testing.assert_array_equal(forward, expected)


def test_second_order_at_kinks():
    def slopes_of_slope(function, x):
        return autodiff.grad(lambda x: np.sum(autodiff.grad(function)(x) * np.arange(3.0)))(x)

    np.testing.assert_array_equal(slopes_of_slope(np.max, np.array([1.0, 1.0, 0.0])), [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(slopes_of_slope(np.std, np.ones(3)), [0.0, 0.0, 0.0])


def test_masked_out_elements_contribute_nothing():
    def total(x):
        return np.sum(np.log(x), where=x > 0)

    def largest(x):
        return np.max(np.sqrt(x))

    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(autodiff.grad(total)(np.array([0.0, 2.0])), [0.0, 0.5])
        np.testing.assert_array_equal(autodiff.grad(largest)(np.array([0.0, 4.0])), [0.0, 0.25])


def test_empty_extreme_is_an_error_under_staging_too():
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum which has no identity"):
        autodiff.eval_shape(np.max, np.zeros(0))


def test_truth_and_counts_are_staged():
    def counted(x):
        return np.any(x > 2), np.all(x > 0), np.count_nonzero(x > 1), np.argmax(x), np.argmin(x, axis=0)

    x = np.array([[1.0, 3.0], [2.0, 0.5]])
    staged = autodiff.eval_tape(autodiff.make_tape(counted)(x), x)
    assert [np.asarray(part).tolist() for part in staged] == [True, True, 2, 1, [0, 1]]
    batched = autodiff.vmap(counted)(np.stack([x, -x]))
    assert batched[2].tolist() == [2, 0]
