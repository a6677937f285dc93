"""NumPy's reductions with all their arguments, against plain NumPy and by the laws."""

import numpy as np
import pytest

import autodiff
from autodiff.testing import Case, check_case, check_laws
from autodiff.testing.draws.domains import kinked_at_zero
from autodiff.trace.errors import ConcretizationError

RNG = np.random.default_rng(7)
X = RNG.normal(size=(3, 4, 2))
Z = X + 1j * X[::-1]
MASK = RNG.random((3, 4, 2)) > 0.3
MASK[0] = True
HOLES = np.where(RNG.random((3, 4, 2)) > 0.8, np.nan, X)
HOLES[0] = X[0]
VALUES = ("value", "spec", "replay", "batch", "dtype", "adjoint")
SIZES = [(9, 17), (3, 40), (130,)]
AXES = [None, 0, -1, (0, 2), ()]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("function", [np.sum, np.prod, np.max, np.min], ids=lambda f: f.__name__)
def test_axes(function, axis, keepdims):
    check_laws(lambda x: function(x, axis=axis, keepdims=keepdims), (X,))


@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
@pytest.mark.parametrize("function", [np.sum, np.prod, np.max, np.min], ids=lambda f: f.__name__)
def test_dtypes(function, dtype):
    check_laws(lambda x: function(x, axis=1), ((Z if dtype[0] == "c" else X).astype(dtype),))


# fmt: off
OPTIONS = [
    (np.sum,  {"where": MASK}),
    (np.sum,  {"where": MASK[0]}),
    (np.sum,  {"where": MASK, "initial": 2.0, "axis": 0}),
    (np.sum,  {"initial": 0.1, "axis": 1}),
    (np.sum,  {"dtype": "complex128", "axis": (0, 1)}),
    (np.prod, {"where": MASK, "axis": 0}),
    (np.prod, {"initial": 2.0}),
    (np.prod, {"dtype": "complex128"}),
    (np.max,  {"initial": 0.1, "axis": 1}),
    (np.max,  {"where": MASK, "initial": -9.0, "axis": 1, "keepdims": True}),
    (np.min,  {"where": MASK, "initial": 0.1}),
]
# fmt: on


@pytest.mark.parametrize(("function", "options"), OPTIONS)
def test_options(function, options):
    check_laws(lambda x: function(x, **options), (X,))


def test_initial_value_is_differentiable():
    check_laws(lambda x, start: np.sum(x, axis=0, initial=start), (X, np.float64(0.5)), batch=False)
    check_laws(lambda x, start: np.max(x, axis=0, initial=start), (X, np.float64(0.1)), batch=False)


def test_extreme_of_nothing_is_the_initial_value():
    check_laws(lambda x: np.max(x, axis=0, initial=1.5), (np.zeros((0, 2)),))


def test_mask_without_initial_value_is_refused():
    expected = (
        "reduction operation 'maximum' does not have an identity, so to use a where mask one has to specify 'initial'"
    )
    with pytest.raises(ValueError, match=f"^{expected}$"):
        autodiff.grad(lambda x: np.max(x, where=MASK))(X)


def test_axes_that_do_not_exist():
    expected = r"axis 3 is out of bounds for array of dimension 3 \(test_reductions.py:\d+\); choose from -3 to 2$"
    for function in (np.sum, np.max, np.cumsum, np.mean, np.sort):
        with pytest.raises(np.exceptions.AxisError, match=expected):
            autodiff.grad(lambda x: np.sum(function(x, axis=3)))(X)  # noqa: B023


LAYOUTS = [
    Case("sum", lambda x: np.sum(x, axis=0), shapes=SIZES, order=1),
    Case("sum all", np.sum, shapes=SIZES, order=1),
    Case("mean", np.mean, shapes=SIZES, order=1),
    Case("var", lambda x: np.var(x, axis=-1), shapes=SIZES, order=1, batch=False),
    Case("std", np.std, shapes=SIZES, order=1, batch=False),
    Case("masked", lambda x: np.sum(x, where=x > 0, axis=-1), shapes=SIZES, order=1, domain=kinked_at_zero),
]


@pytest.mark.parametrize("case", LAYOUTS, ids=str)
def test_bits_are_those_of_numpy_in_every_layout(case):
    check_case(case)


def test_out():
    def written(x):
        y = np.zeros_like(x[0, 0])
        np.sum(x, axis=(0, 1), out=y)
        return y * y

    check_laws(written, (X,), batch=False, only=("value", "forward", "reverse"))
    with pytest.raises(ConcretizationError):
        autodiff.grad(lambda x: np.sum(x, out=np.zeros(())))(X)


def test_lists_of_traced_values():
    assert autodiff.grad(lambda x: np.sum(np.stack([x, 2 * x])))(1.5) == 3.0


@pytest.mark.parametrize("axis", [None, 0, (0, 2)])
@pytest.mark.parametrize(
    "function",
    [np.nansum, np.nanprod, np.nanmax, np.nanmin, np.nanmean, np.nanvar, np.nanstd, np.nanmedian],
    ids=lambda f: f.__name__,
)
def test_nan_functions(function, axis):
    check_laws(lambda x: function(x, axis=axis), (X,))
    check_laws(lambda x: function(x, axis=axis, keepdims=True), (HOLES,), only=VALUES)


@pytest.mark.parametrize("function", [np.nansum, np.nanmean, np.nanvar, np.nanmax], ids=lambda f: f.__name__)
def test_nan_has_no_share(function):
    x = np.array([1.0, np.nan, 3.0])
    without = autodiff.grad(function)(np.array([1.0, 3.0]))
    np.testing.assert_array_equal(autodiff.grad(function)(x), [without[0], 0.0, without[1]])


@pytest.mark.parametrize("axis", [None, 0, 2])
@pytest.mark.parametrize("function", [np.cumsum, np.cumprod, np.nancumsum, np.nancumprod], ids=lambda f: f.__name__)
def test_running(function, axis):
    check_laws(lambda x: function(x, axis=axis), (X,))


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="in NumPy 2.1 and later")
def test_running_with_initial_value():
    check_laws(lambda x: np.cumulative_sum(x, axis=1, include_initial=True), (X,))
    check_laws(lambda x: np.cumulative_prod(x, axis=-1, include_initial=True), (X,))
    check_laws(np.cumulative_sum, (X[0, 0],))


SPREAD = np.sort(RNG.normal(size=24))[RNG.permutation(24)].reshape(4, 3, 2)
REDUCED = [np.add, np.multiply, np.maximum, np.minimum, np.logaddexp, np.subtract, np.hypot, np.fmax, np.logaddexp2]


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("ufunc", REDUCED, ids=lambda f: f.__name__)
def test_ufunc_methods(ufunc, axis):
    check_laws(lambda x: ufunc.reduce(x, axis=axis, keepdims=True), (SPREAD,))
    check_laws(lambda x: ufunc.accumulate(x, axis=axis), (SPREAD,))
    check_laws(lambda x: ufunc.reduceat(x, [0, 1], axis=axis), (SPREAD,))


@pytest.mark.parametrize(
    "ufunc", [np.add, np.subtract, np.multiply, np.divide, np.power, np.hypot], ids=lambda f: f.__name__
)
def test_outer(ufunc):
    check_laws(ufunc.outer, (abs(X[0]) + 0.1, abs(X[1, 0]) + 0.1))


def test_logical_reductions_of_traced_values():
    def tested(x):
        positive = x > 0
        return (
            np.logical_or.reduce(positive), np.logical_and.reduce(positive, axis=1), np.logical_xor.reduce(positive)
        )  # fmt: skip

    staged = autodiff.eval_tape(autodiff.make_tape(tested)(X), X)
    for arrived, expected in zip(staged, tested(X), strict=True):
        np.testing.assert_array_equal(arrived, expected)


def test_reduction_of_an_order_needs_one_axis():
    with pytest.raises(ValueError, match=r"np.subtract.reduce goes along one axis, got axis=\(0, 1\)"):
        autodiff.grad(lambda x: np.sum(np.subtract.reduce(x, axis=(0, 1))))(X)
