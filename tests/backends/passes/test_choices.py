"""Conditions whose answer is known."""

import numpy as np
import pytest

from autodiff import grad
from autodiff.backends.passes.rewrite.choices import CHOICES
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, simpler, specials

simplify_choices = alone(CHOICES)

X = specials((11, 11))
Y = specials((11, 11), shift=1).T.copy()
N = np.array([-128, 0, 127], np.int8)


def guarded(bound, x):
    return np.where(x < bound, np.nan, x)


CASES = {
    "an exponential below zero": (lambda x, y: guarded(0, np.exp(x)), ["exp"]),
    "a sum of squares": (lambda x, y: guarded(0, np.sum(np.square(x), axis=0)), ["square", "sum"]),
    "a sum of exponentials, reshaped": (lambda x, y: guarded(0, np.exp(x).sum(1, keepdims=True)), ["exp", "sum", "reshape"]),
    "one more than an exponential": (lambda x, y: guarded(1, 1 + np.exp(-x)), ["negative", "exp", "add"]),
    "a tangent": (lambda x, y: guarded(-1, np.tanh(x)), ["tanh", "less", "where"]),
    "a logarithm": (lambda x, y: guarded(0, np.log(x)), ["log", "less", "where"]),
    "a product": (lambda x, y: guarded(0, np.abs(x) * np.sqrt(y)), ["absolute", "sqrt", "multiply"]),
    "the larger of x and 1": (lambda x, y: guarded(1, np.maximum(x, 1)), ["maximum"]),
    "a difference": (lambda x, y: guarded(0, np.exp(x) - np.exp(y)), ["exp", "exp", "subtract", "less", "where"]),
    "above zero": (lambda x, y: np.where(np.exp(x) > 0, x, y), ["exp", "greater", "where"]),
    "not c": (lambda x, y: np.where(np.logical_not(x < y), x, y), ["less", "where"]),
    "c in c": (lambda x, y: np.where(x < y, np.where(x < y, x, 0.0), y), ["less", "less", "where", "where"]),
    "not below, or NaN": (lambda x, y: np.where((x >= 2) | np.isnan(x), x, y), ["greater_equal", "isnan", "bitwise_or", "where"]),
    "not below, or NaN, logically": (lambda x, y: np.logical_or(x >= 2, np.isnan(x)), ["less", "logical_not"]),
    "below NaN": (lambda x, y: np.logical_or(x >= np.nan, np.isnan(x)), ["greater_equal", "isnan", "logical_or"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_known_conditions_are_left_out(name):
    fun, left = CASES[name]
    assert names(simpler(simplify_choices, fun, X, Y)) == left


def test_one_condition_in_another():
    def fun(x, y):
        below = x < y
        return np.where(below, np.where(below, x, 0.0), np.where(below, 1.0, y))

    assert names(simpler(simplify_choices, fun, X, Y)) == ["less", "where"]


def test_choices_that_round_are_left():
    def fun(x, y):
        below = x < y
        return np.where(below, np.where(below, 16777217, y.astype(np.float32)), x)

    assert names(simpler(simplify_choices, fun, X, Y)).count("where") == 2


def test_integers_that_overflow_are_not_known():
    tape = simpler(simplify_choices, lambda n: (np.abs(n) < 0, n * n < 0, np.uint8(255) + n.astype(np.uint8) < 1), N)
    assert names(tape).count("less") == 3


def test_guards_of_derivatives_are_left_out():
    left = names(simpler(simplify_choices, grad(lambda x: np.sum(np.log(np.sum(np.exp(x), axis=1)))), X))
    assert "where" not in left
    assert "less" not in left


@pytest.mark.parametrize("shape", [(9,), (4, 3)])
def test_where_nothing_was_written_is_written_over(shape):
    def loss(k, i):
        k = k * 1.0
        k[i] = 2.0
        return np.sum(k * k)

    tape = simpler(simplify_choices, grad(loss), np.arange(float(np.prod(shape))).reshape(shape), 2)
    assert "unwritten" not in names(tape)
    assert names(tape).count("put") == 2


def test_masks_of_a_part_choose_in_the_part():
    def loss(k, i):
        k = k * 1.0
        k[i] = 2.0 * k[0]
        return np.sum(k * k)

    k = np.arange(9.0)
    tape = simpler(simplify_choices, grad(loss), k, 2)
    assert names(tape).count("slice_into") == 1
