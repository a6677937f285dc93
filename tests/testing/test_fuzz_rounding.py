"""Runs with rounding errors: what the fuzzer allows, and what it calls wrong."""

import numpy as np
import pytest

import autodiff
from autodiff.testing.fuzz.checking import attempt, laid_out, quiet
from autodiff.testing.fuzz.drawing import draw
from autodiff.testing.fuzz.errors import Errors
from autodiff.testing.fuzz.generate import generate
from autodiff.testing.fuzz.modes import COMPILED
from autodiff.testing.fuzz.printing import watched_function_of
from autodiff.testing.fuzz.rounding import Rounding, true_of
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten

EPSILON = np.finfo(np.float64).eps


def moved(fun, *args, run=1):
    """A result with errors."""
    rounding = Rounding(Errors(run))
    return true_of(fun(*map(rounding.lift, args)))


def spread(fun, *args, runs=16):
    """How far errors move a result."""
    exact = true_of(fun(*map(Rounding(None).lift, args)))
    return max(np.abs(moved(fun, *args, run=run) - exact).max() for run in range(runs))


def test_a_rounded_operation_is_off_by_three_epsilons():
    x = np.array([0.3, -1.2, 2.0])
    np.testing.assert_allclose(spread(np.tanh, x), 3 * EPSILON * np.tanh(2.0), rtol=0.1)


def test_what_selects_and_moves_is_exact():
    x = np.array([[0.3, -1.2, 2.0]])
    assert spread(lambda x: np.maximum(np.abs(x.T[::-1]), -x[..., :1]), x) == 0


def test_values_of_the_program_keep_their_dtypes_and_are_computed_in_double_precision():
    x = np.array([0.1, 0.7], np.float32)
    found = Rounding(None).lift(x)
    out = np.sin(found) * np.float32(0.5)
    assert out.dtype == np.float32
    np.testing.assert_array_equal(true_of(out), np.sin(x.astype(float)) * 0.5)
    assert spread(np.sin, x) > 1e-7


def test_errors_inside_of_rules_are_made_much_of():
    slope = autodiff.grad(np.tanh)
    assert spread(slope, 3.0) > 100 * EPSILON * slope(3.0)


def test_a_derivative_has_errors_where_it_does_not_depend_on_the_argument():
    out = COMPILED["gradient"].eager(lambda x: np.diff(x) * 0.1)(Rounding(Errors(1)).lift(np.ones(3)))
    exact = COMPILED["gradient"].eager(lambda x: np.diff(x) * 0.1)(np.ones(3))
    assert np.abs(true_of(out[1][0]) - exact[1][0]).max() > 0


def test_sums_of_sums_may_be_added_in_any_order():
    def cancelling(x, y):
        return np.sum((x + y) - x)

    x, y = np.array([1e8, 2e8]), np.array([1.0, 2.0])
    assert spread(cancelling, x, y) > 1e8 * EPSILON


def test_what_nearly_meets_meets_in_some_runs():
    def differs(x):
        return (np.log(np.exp(x)) != x) * 1.0

    x = np.array([0.3])
    assert {round(float(moved(differs, x, run=run)[0])) for run in range(4)} == {0, 1}
    assert moved(lambda x: np.log(np.exp(x)) - x, x, run=2) == 0
    assert moved(lambda x: x * 1.001 != x, x, run=2).tolist() == [True]


@pytest.mark.parametrize("mode", ["value", "gradient", "tangent", "curvature", "batch"])
def test_programs_run_with_errors_as_they_run_without(mode):
    transformation = COMPILED[mode]
    for seed in range(25):
        program = generate(seed)
        drawn = draw(program, 0)
        with quiet():
            eager, error = attempt(transformation.eager, program, drawn, transformation)
            if error is not None:
                continue
            args = transformation.prepared(laid_out(drawn.arguments))
            for errors in (None, Errors(1), Errors(2)):
                function = watched_function_of(program, laid_out(drawn.constants), lambda _, value: value)
                found = transformation.eager(function)(*map(Rounding(errors).lift, args))
                for one, other in zip(flatten(eager)[0], flatten(found)[0], strict=True):
                    assert np.shape(one) == np.shape(true_of(other))
                    assert np.asarray(one).dtype == spec_of(other).dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_terms_of_a_sum_may_overflow_before_they_cancel(dtype):
    x = np.array([0.9, 0.9, -0.9]).astype(dtype) * np.finfo(dtype).max
    assert any(np.isinf(moved(np.sum, x, run=run)) for run in range(4))
    assert any(np.isinf(moved(np.mean, x, run=run)) for run in range(4))
    assert np.isfinite([moved(np.sum, x / 4, run=run) for run in range(4)]).all()


def test_parts_of_complex_products_that_overflow_are_undecided():
    z = np.array([complex(9e184, -9e184), 1 - 2j])
    for fun in (np.square, lambda z: z * z, lambda z: z**2):
        assert np.any([np.isnan(moved(fun, z, run=run)) for run in range(4)], axis=0).tolist() == [True, False]
