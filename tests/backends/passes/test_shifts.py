"""Sums that cancel: what is left is nearer to the derivative."""

import numpy as np
import pytest

from autodiff import grad, make_tape
from autodiff.backends.passes import simplify
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

random = np.random.default_rng(1)
Z = 5 * random.normal(size=(6, 9))
T = random.normal(size=(6, 9))


def shifted(x):
    return x - np.max(x, axis=1, keepdims=True)


def log_shares(x):
    y = shifted(x)
    return y - np.log(np.sum(np.exp(y), axis=1, keepdims=True))


def shares(x):
    grown = np.exp(shifted(x))
    return grown / np.sum(grown, axis=1, keepdims=True)


def log_sums(x):
    return np.log(np.sum(np.exp(shifted(x)), axis=1)) + np.max(x, axis=1)


def normalized(x):
    centred = x - np.mean(x, axis=1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=1, keepdims=True) + 1e-5)


def normalized_batch(x):
    centred = x - np.mean(x, axis=0)
    return centred / np.sqrt(np.sum(centred * centred, axis=0) / 6 + 1e-5)


def variance(x):
    return np.var(x, axis=1)


CANCEL = {
    "log_softmax": lambda x, t, i: np.sum(log_shares(x) * t),
    "cross-entropy": lambda x, t, i: -np.mean(log_shares(x)[np.arange(6), i]),
    "softmax": lambda x, t, i: np.sum(shares(x) * t),
    "softmax, nonlinear": lambda x, t, i: np.sum(np.sin(shares(x)) ** 2),
    "logsumexp": lambda x, t, i: np.sum(np.tanh(log_sums(x))),
    "of everything": lambda x, t, i: np.log(np.sum(np.exp(x - np.max(x)))) + np.max(x),
    "layer normalization": lambda x, t, i: np.sum(np.sin(normalized(x)) * t),
    "batch normalization": lambda x, t, i: np.sum(np.sin(normalized_batch(x)) * t),
    "variance": lambda x, t, i: np.sum(np.sqrt(variance(x))),
}
MEANS = {"layer normalization", "batch normalization", "variance"}
LABELS = np.array([0, 1, 8, 8, 3, 2])


@pytest.mark.parametrize("name", sorted(CANCEL.keys() - MEANS))
def test_what_cancels_is_left_out_and_the_rest_is_as_exact(name):
    fun = grad(CANCEL[name])
    args = (Z.astype(np.float32), T.astype(np.float32), LABELS)
    tape = make_tape(fun)(*args)
    stable, plain = simplify(tape), simplify(tape, stable=False)
    check_tape(stable)
    assert len(stable.equations) <= len(plain.equations)
    assert stable != plain
    assert "isnan" not in names(stable)
    exact = fun(args[0].astype(float), args[1].astype(float), LABELS)
    errors = [np.abs(run(one, args)[0] - exact).max() for one in (tape, stable)]
    assert errors[1] <= 2 * errors[0] + 1e-7 * np.abs(exact).max()


@pytest.mark.parametrize("name", sorted(MEANS))
@pytest.mark.parametrize("mean", [0, 1000])
def test_what_takes_the_error_of_a_mean_out_again_stays(name, mean):
    fun = grad(CANCEL[name])
    args = ((Z + mean).astype(np.float32), T.astype(np.float32), LABELS)
    tape = make_tape(fun)(*args)
    stable = simplify(tape)
    check_tape(stable)
    exact = fun(args[0].astype(float), args[1].astype(float), LABELS)
    errors = [np.abs(run(one, args)[0] - exact).max() for one in (tape, stable)]
    assert errors[1] <= 2 * errors[0] + 3e-7 * np.abs(exact).max()


def test_a_sum_of_what_is_centred_waits_for_no_factor():
    tape = simplify(make_tape(grad(CANCEL["layer normalization"]))(Z, T, LABELS))
    centred = next(e.results[0] for e in tape.equations if e.primitive.name == "subtract")
    assert [e.operands for e in tape.equations if e.primitive.name == "sum"].count((centred,)) == 1


def weighted(x):
    return np.sum(np.exp(shifted(x)) * T)


def unnormalized(x):
    return np.sum(np.exp(shifted(x))) + np.sum(np.max(x, axis=1) ** 2)


def other_axis(x):
    grown = np.exp(shifted(x))
    return np.sum(np.sin(grown / np.sum(grown, axis=0)))


@pytest.mark.parametrize("fun", [weighted, unnormalized, other_axis])
def test_what_does_not_cancel_stays(fun):
    tape = make_tape(grad(fun))(Z)
    after = simplify(tape)
    assert "isnan" in names(after)
    np.testing.assert_allclose(run(after, (Z,))[0], grad(fun)(Z), rtol=1e-12)


def test_a_mean_that_does_not_cancel_stays():
    def fun(x):
        return np.sum((x - np.mean(x, axis=1, keepdims=True)) ** 3)

    after = simplify(make_tape(grad(fun))(Z))
    np.testing.assert_allclose(run(after, (Z,))[0], grad(fun)(Z), rtol=1e-11)


@pytest.mark.parametrize("name", ["log_softmax", "softmax", "logsumexp", *sorted(MEANS)])
def test_rows_that_were_nan_are_nan(name):
    x = Z.copy()
    x[0, 3], x[1, 2], x[2], x[3, 0] = np.nan, np.inf, -np.inf, -np.inf
    tape = make_tape(grad(CANCEL[name]))(x, T, LABELS)
    (old,), (out,) = run(tape, (x, T, LABELS)), run(simplify(tape), (x, T, LABELS))
    np.testing.assert_array_equal(np.isnan(out), np.isnan(old))
    np.testing.assert_array_equal(np.isinf(out), np.isinf(old))
