"""Running sums, products and extremes."""

import numpy as np
import pytest

import autodiff
from autodiff.ops.reductions import cumulative
from autodiff.ops.reductions.running import cummax, cummin
from autodiff.ops.reductions.segments import segment_spread, segment_sums
from autodiff.testing import Case, check_case, check_laws
from autodiff.testing.draws.domains import distinct, real

COMPLEX = ("float64", "float32", "complex128", "complex64")
SHAPES = [(3,), (2, 4), (1, 2), (0, 2), (2, 3, 2)]
DEEP = [(4, 2), (2, 5, 1), (3, 2)]

# fmt: off
CASES = [
    Case("cumsum",          lambda x: cumulative.cumsum(x, axis=-1, reverse=False), shapes=SHAPES, dtypes=COMPLEX),
    Case("cumsum reverse",  lambda x: cumulative.cumsum(x, axis=-2, reverse=True), shapes=DEEP, dtypes=COMPLEX),
    Case("cumprod",         lambda x: cumulative.cumprod(x, axis=-1, reverse=False), shapes=SHAPES, dtypes=COMPLEX),
    Case("cumprod reverse", lambda x: cumulative.cumprod(x, axis=-2, reverse=True), shapes=DEEP),
    Case("before",          lambda x: cumulative.products_before(x, axis=-2, reverse=False), shapes=DEEP),
    Case("before reverse",  lambda x: cumulative.products_before(x, axis=-1, reverse=True), shapes=SHAPES),
    Case("shift",           lambda x: cumulative.shift(x, axis=-1, reverse=False), shapes=SHAPES),
    Case("shift reverse",   lambda x: cumulative.shift(x, axis=-2, reverse=True), shapes=DEEP),
    Case("recurrence",      lambda b, a: cumulative.recurrence(b, a, axis=-1, reverse=False), (real, real),
         shapes=[((4,), (4,)), ((2, 3), (2, 3)), ((0,), (0,))], dtypes=COMPLEX),
    Case("recurrence back", lambda b, a: cumulative.recurrence(b, a, axis=-2, reverse=True), (real, real),
         shapes=[((4, 2), (4, 2))]),
    Case("cummax",          lambda x: cummax(x, axis=-1), distinct, shapes=[(4,), (2, 3)]),
    Case("cummin",          lambda x: cummin(x, axis=-2), distinct, shapes=[(4, 1), (3, 2)]),
    Case("segment_sums",    lambda x: segment_sums(x, axis=-2, indices=(0, 2, 1, 3)), shapes=[(4, 2), (2, 5, 1)],
         dtypes=COMPLEX),
    Case("segment_spread",  lambda g: segment_spread(g, axis=-1, indices=(1, 3, 2), length=4), shapes=[(3,), (2, 3)]),
]
# fmt: on


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


@pytest.mark.parametrize("x", [[0.0, 2.0, 3.0], [1.0, 0.0, 3.0, 0.0, 2.0], [0.0, 0.0]])
def test_running_product_of_zeros_has_all_derivatives(x):
    check_laws(np.cumprod, (np.array(x),))


# fmt: off
KINKS = [
    (np.cumprod,            [0.0, 2.0, 3.0],                 [9.0, 0.0, 0.0]),
    (np.maximum.accumulate, [1.0, 1.0, 0.0, 2.0, 2.0, 1.0],  [2.0, 1.0, 0.0, 2.0, 1.0, 0.0]),
    (np.minimum.accumulate, [1.0, 1.0, 2.0],                 [2.0, 1.0, 0.0]),
    (np.maximum.accumulate, [1.0, np.nan, 3.0],              [1.0, np.nan, 0.0]),
]
# fmt: on


@pytest.mark.parametrize(("function", "x", "expected"), KINKS)
def test_kinks(function, x, expected):
    x = np.array(x)
    np.testing.assert_array_equal(autodiff.grad(lambda x: np.sum(function(x)))(x), expected)
    forward = [np.sum(autodiff.jvp(function, (x,), (unit,))[1]) for unit in np.eye(x.size)]
    if not np.isnan(x).any():
        np.testing.assert_array_equal(forward, expected)
