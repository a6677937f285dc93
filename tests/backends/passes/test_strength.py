"""Cheaper operations, within the ulps that the rules state."""

import numpy as np
import pytest

from autodiff import grad, make_tape
from autodiff.backends.passes import simplify
from autodiff.backends.passes.rewrite.strength import STRENGTH
from autodiff.trace.tape import check_tape
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, run, specials, ulps

reduce_strength = alone(STRENGTH, merge=True)

X = np.concatenate([np.linspace(-90, 90, 181), specials((11,))]).astype(np.float32)
M = np.resize(X, (16, 12)) + np.float32(0.37)


def close(fun, x, limit, tape_of=reduce_strength):
    tape = make_tape(fun)(x)
    after = tape_of(tape)
    check_tape(after)
    assert after.output_specs == tape.output_specs
    for one, other in zip(run(tape, (x,)), run(after, (x,)), strict=True):
        assert ulps(one, other) <= limit
    return names(after)


CASES = {
    "x ** 3": (lambda x: x**3, X, 2, ["square", "multiply"]),
    "x ** 4": (lambda x: x**4, X, 2, ["square", "square"]),
    "x ** -1": (lambda x: x**-1, X, 1, ["divide"]),
    "x ** 5": (lambda x: x**5, X, 0, ["power"]),
    "1 / (1 + exp(-x))": (lambda x: 1 / (1 + np.exp(-x)), X, 0, ["logistic"]),
    "1 / (exp(-x) + 1)": (lambda x: 1.0 / (np.exp(-x) + 1.0), X, 0, ["logistic"]),
    "a sum of one number": (lambda x: np.sum(np.broadcast_to(x[:, None], (192, 64)), axis=1), X, 1, ["slice_of", "reshape", "multiply"]),
    "a sum of one number in all": (lambda x: np.sum(np.broadcast_to(x[70], (3, 5))), X, 1, ["slice_of", "multiply"]),
    "a sum of some": (lambda x: np.sum(np.broadcast_to(x, (4, 192)), axis=1), X, 0, ["broadcast_to", "sum"]),
    "rows over a root": (lambda x: x / np.sqrt(np.sum(x * x, axis=1, keepdims=True)), M[:, :6], 2, ["multiply", "sum", "reshape", "sqrt", "divide", "multiply"]),
    "rows over anything": (lambda x: x / np.sum(x, axis=1, keepdims=True), M, 0, ["sum", "reshape", "divide"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_results_stay_within_their_ulps(name):
    fun, x, limit, left = CASES[name]
    assert close(fun, x, limit) == left


def test_a_quotient_by_what_was_divided_by_before():
    def fun(x):
        below = 1.0 + np.exp(-x)
        share = 1.0 / below
        return share, x * share / below

    assert close(fun, X, 4).count("divide") == 1


def test_a_divisor_that_may_be_small_stays():
    def fun(x):
        return 1.0 / x, 3.0 * x / x

    assert close(fun, X, 0).count("divide") == 2


def test_shares_divide_once_a_row():
    def shares(x):
        grown = np.exp(x - np.max(x, axis=1, keepdims=True))
        return grown / np.sum(grown, axis=1, keepdims=True)

    assert close(shares, M, 3) == ["max", "reshape", "subtract", "exp", "sum", "reshape", "divide", "multiply"]


def test_the_derivative_of_a_logistic_function_divides_once():
    tape = simplify(make_tape(grad(lambda x: np.sum(1 / (1 + np.exp(-x)))))(X))
    assert names(tape) == ["negative", "exp", "add", "divide", "square", "multiply"]


def test_complex_squares_are_those_of_the_operator():
    z = np.array([complex(3, -4), complex(9e184, -9e184)])  # the square of the second one overflows
    after = reduce_strength(make_tape(lambda z: (z**2, z**3))(z))
    assert names(after) == ["square", "power"]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(after, (z,))[0], z**2)
