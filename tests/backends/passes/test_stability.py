"""Functions in place of formulas: the same where those are well, better where they are not."""

from typing import Any

import numpy as np
import pytest

from autodiff import grad, jit, make_tape, vjp
from autodiff.backends.passes import simplify
from autodiff.backends.passes.rewrite.stability import STABILITY
from autodiff.ops.reductions.softmax import log_softmax
from autodiff.trace.tape import check_tape
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, run, ulps

use_stable_functions = alone(STABILITY, merge=True)

WELL = np.linspace(0.5, 3, 24).reshape(4, 6)
"""Where the formulas lose nothing."""

ILL = np.array([[-300.0, 0, 300, 1e-9, -1e-9, 40], [-40, 1e-3, 700, -700, 0, 1]])


def share(x):
    grown = np.exp(x)
    return grown / np.sum(grown, axis=1, keepdims=True)


def wide(x):
    return x.astype(np.longdouble)


def stable_sum(x: Any) -> Any:
    top = np.max(wide(x), axis=1, keepdims=True)
    return np.log(np.sum(np.exp(wide(x) - top), axis=1, keepdims=True)) + top


CASES: dict[str, tuple[Any, str, Any]] = {
    "log(1 + x)": (lambda x: np.log(1 + x * x), "log1p", lambda x: np.log1p(wide(x) ** 2)),
    "exp(x) - 1": (lambda x: np.exp(x) - 1, "expm1", lambda x: np.expm1(wide(x))),
    "log1p(exp(x))": (lambda x: np.log1p(np.exp(x)), "softplus", lambda x: np.logaddexp(wide(x), 0)),
    "log(1 + exp(x))": (lambda x: np.log(1 + np.exp(x)), "softplus", lambda x: np.logaddexp(wide(x), 0)),
    "log of a logistic": (lambda x: np.log(1 / (1 + np.exp(-x))), "softplus", lambda x: -np.logaddexp(-wide(x), 0)),
    "log(sum(exp(x)))": (lambda x: np.log(np.sum(np.exp(x), axis=1)), "logsumexp", lambda x: stable_sum(x)[:, 0]),
    "log(sum(exp(x))), kept": (lambda x: np.log(np.sum(np.exp(x), axis=1, keepdims=True)), "logsumexp", stable_sum),
    "log of shares": (lambda x: np.log(share(x)), "log_softmax", lambda x: wide(x) - stable_sum(x)),
    "sqrt(x * x)": (lambda x: np.sqrt(x * x), "absolute", lambda x: np.abs(wide(x))),
}


@pytest.mark.parametrize("name", CASES)
def test_the_function_agrees_where_the_formula_is_well(name):
    fun, function, exact = CASES[name]
    tape = make_tape(fun)(WELL)
    after = simplify(tape)
    check_tape(after)
    assert function in names(after)
    (one,), (other,) = run(tape, (WELL,)), run(after, (WELL,))
    assert ulps(one, other) <= 32
    errors = [np.abs(out - exact(WELL)).max() for out in (one, other)]
    assert errors[1] <= 2 * errors[0] + np.spacing(np.abs(one).max())


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_agrees_where_the_formula_is_well(name):
    fun = grad(lambda x: np.sum(np.sin(CASES[name][0](x))))
    tape = make_tape(fun)(WELL)
    after = simplify(tape)
    check_tape(after)
    np.testing.assert_allclose(run(after, (WELL,))[0], run(tape, (WELL,))[0], rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("name", CASES)
def test_the_function_is_right_where_the_formula_is_not(name):
    fun, _, exact = CASES[name]
    x = ILL * (1e200 if name == "sqrt(x * x)" else 3)
    tape = make_tape(fun)(x)
    (one,), (other,) = run(tape, (x,)), run(use_stable_functions(simplify(tape)), (x,))
    true = exact(x)
    fits = np.abs(true) < np.finfo(float).max
    np.testing.assert_array_less(np.abs(other - true)[fits], (1e-15 * np.abs(true) + 1e-300)[fits] * 4)
    with np.errstate(all="ignore"):
        assert not (np.abs(one - true)[fits] <= 1e-15 * np.abs(true)[fits]).all(), "the formula is as good"


SLOPES = {
    "log1p(exp(x))": lambda x: 1 / (1 + np.exp(-wide(x))),
    "log(1 + exp(x))": lambda x: 1 / (1 + np.exp(-wide(x))),
    "log(sum(exp(x)))": lambda x: np.exp(wide(x) - stable_sum(x)),
}


@pytest.mark.parametrize("name", SLOPES)
def test_gradients_do_not_overflow(name):
    x = ILL * 2
    tape = make_tape(grad(lambda x: np.sum(CASES[name][0](x))))(x)
    assert np.isnan(run(tape, (x,))[0]).any() == ("sum" in name)  # in others what overflows is kept apart
    np.testing.assert_allclose(run(simplify(tape), (x,))[0], SLOPES[name](x).astype(float), rtol=1e-12)


def test_the_switch():
    for fun, function, _ in CASES.values():
        assert function not in names(simplify(make_tape(fun)(WELL), stable=False))
        assert function not in names(simplify(make_tape(fun)(WELL), exact=True))


def test_shares_of_what_was_shifted_already_are_logarithms_of_their_sums():
    def fun(x):
        return np.log(share(x - np.max(x, axis=1, keepdims=True)))

    tape = simplify(make_tape(fun)(ILL))
    assert names(tape) == ["max", "reshape", "subtract", "exp", "sum", "log", "reshape", "subtract"]
    np.testing.assert_allclose(run(tape, (ILL,))[0], (wide(ILL) - stable_sum(ILL)).astype(float), rtol=1e-14)


def test_exponentials_that_cannot_overflow_stay():
    assert names(simplify(make_tape(lambda x: np.log1p(np.exp(-(x**2))))(WELL))) == [
        "square",
        "negative",
        "exp",
        "log1p",
    ]
    assert names(simplify(make_tape(lambda x: np.log1p(np.exp(-0.5 * (x * x))))(WELL)))[-1] == "log1p"


ROWS = np.array([[1, 2, 300, -400], [6, np.inf, 1, 79378], [-np.inf, 1, 2, 3], [4e30, 1, -4e30, 0], [1, np.nan, 2, 3]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shares_beside_infinities_are_those_of_the_operation(dtype: Any) -> None:
    def slopes(x: Any) -> Any:
        return vjp(lambda x: log_softmax(x, axes=(-1,)), x)[1](np.ones_like(x))[0]

    for x in (ROWS.astype(dtype), np.full((1, 4), -np.inf, dtype)):
        with np.errstate(invalid="ignore"):  # an infinity less itself
            np.testing.assert_allclose(jit(slopes)(x), slopes(x), rtol=1e-5, atol=1e-6)


def test_an_exponential_of_a_difference_does_not_overflow_on_the_way() -> None:
    def f(x: Any, s: Any) -> Any:
        return np.exp(x), np.exp(x - np.log(s))

    x, s = np.array([-800.0, 750.0]), np.array([1e-300, 1e300])
    with np.errstate(over="ignore"):
        for one, other in zip(jit(f)(x, s), f(x, s), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
    assert 0 < jit(f)(x, s)[1][0] < jit(f)(x, s)[1][1] < np.inf
