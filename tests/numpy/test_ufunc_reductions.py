"""Reductions of ufuncs that go from element to element: several axes, what they begin with, what they leave out."""

import numpy as np
import pytest

from autodiff import grad, jit
from autodiff.testing import check_grads

WHOLE = np.array([[12, -18, 30], [8, 20, -6]])
FLOATING = np.array([[0.5, -2.0, 1.5], [3.0, 1.0, -0.25]])
CASES = [
    *((ufunc, x) for ufunc in (np.bitwise_and, np.bitwise_or, np.bitwise_xor) for x in (WHOLE, WHOLE > 9)),
    *((np.bitwise_and, WHOLE.astype(dtype)) for dtype in (np.int8, np.uint8)),
    *((ufunc, WHOLE) for ufunc in (np.gcd, np.lcm)),
    *((ufunc, x) for ufunc in (np.hypot, np.logaddexp2) for x in (FLOATING, WHOLE.astype(np.int8))),
    *((ufunc, FLOATING) for ufunc in (np.subtract, np.divide)),
    *((ufunc, WHOLE) for ufunc in (np.logical_or, np.logical_and, np.logical_xor)),
    (np.logaddexp, WHOLE.astype(np.int8)),
]
OPTIONS = [
    {"axis": None},
    {"axis": (0, 1)},
    {"axis": (1, 0), "keepdims": True},
    {"axis": ()},
    {"axis": 0},
    {"axis": -1, "initial": 1},
    {"axis": None, "initial": 1},
    {"axis": 0, "initial": None},
    {"axis": 1, "where": np.array([True, False, True])},
    {"axis": 0, "where": np.array([[True], [False]]), "initial": 3, "keepdims": True},
]
SHOWN = [
    lambda x: x,
    lambda x: x[:1],  # one element along the first axis
    lambda x: x[:, :1],
    lambda x: x[:0],
    lambda x: x[1, 1],
]


@pytest.mark.parametrize("shown", SHOWN, ids=["whole", "a row", "a column", "nothing", "a number"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("ufunc", "x"), CASES, ids=lambda one: getattr(one, "__name__", getattr(one, "dtype", "")))
def test_reductions_are_those_of_numpy(ufunc, x, options, shown):
    x = shown(x)
    try:
        expected = ufunc.reduce(x, **options)
    except (TypeError, ValueError):
        if ufunc.__name__.startswith("log"):
            return  # of nothing these have a result here
        with pytest.raises((TypeError, ValueError)):
            jit(lambda x: ufunc.reduce(x, **options), backend="numpy")(x)
        return
    found = jit(lambda x: ufunc.reduce(x, **options), backend="numpy")(x)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(found.dtype).eps if found.dtype.kind == "f" else 0)


def test_a_length_of_one_number_has_no_sign():
    assert jit(np.hypot.reduce)(np.array([-2.0])) == 2.0
    assert grad(np.hypot.reduce)(np.array([-2.0])) == -1.0
    assert jit(np.gcd.reduce)(np.array([-6])) == 6
    np.testing.assert_array_equal(jit(lambda x: np.hypot.reduceat(x, [0, 1]))(np.array([-2.0, 3.0, 4.0])), [-2.0, 5.0])


@pytest.mark.parametrize("options", [option for option in OPTIONS if option["axis"] != ()], ids=str)
def test_derivatives_of_lengths(options):
    check_grads(lambda x: np.hypot.reduce(x, **options), (FLOATING,))
