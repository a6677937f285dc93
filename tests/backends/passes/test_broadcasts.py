"""Nothing is repeated before an elementwise operation."""

import numpy as np
import pytest

from autodiff import grad
from autodiff.backends.passes.rewrite.broadcasts import BROADCASTS
from autodiff.ops.shape import broadcast_to
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, simpler, specials

drop_broadcasts = alone(BROADCASTS)

X = specials((2, 3), np.float32)
COLUMN = specials((2, 1), np.float32, 3)


def repeated(x):
    return np.broadcast_to(x, (2, 3))


CASES = {
    "beside a whole array": (lambda x, y: x * repeated(y), ["multiply"]),
    "alone": (lambda x, y: np.tanh(repeated(y)), ["tanh", "broadcast_to"]),
    "two": (lambda x, y: repeated(y) + repeated(y * 2), ["multiply", "add", "broadcast_to"]),
    "with a number": (lambda x, y: 2.0 * repeated(y), ["multiply", "broadcast_to"]),
    "a chain": (lambda x, y: np.exp(-repeated(y)) * x, ["negative", "exp", "multiply"]),
    "a condition": (lambda x, y: np.where(repeated(y) > 0, x, repeated(y)), ["greater", "where"]),
    "before a sum": (lambda x, y: np.sum(repeated(y)), ["broadcast_to", "sum"]),
    "a number of all": (lambda x, y: x * broadcast_to(np.sum(y), shape=(2, 3)), ["sum", "multiply"]),
    "a cast": (lambda x, y: repeated(y).astype(np.float64), ["cast", "broadcast_to"]),
    "rows in one shape": (lambda x, y: x - np.log(np.sum(x, axis=1, keepdims=True)) * 2, ["sum", "log", "multiply", "reshape", "subtract"]),
    "rows in two shapes": (lambda x, y: np.sum(x, axis=1, keepdims=True) + y, ["sum", "reshape", "add"]),
    "another shape altogether": (lambda x, y: np.sin(x.reshape(6)), ["reshape", "sin"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_operations_stand_before_repeating(name):
    fun, left = CASES[name]
    assert names(simpler(drop_broadcasts, fun, X, COLUMN)) == left


def test_a_weak_number_keeps_the_dtype_that_repeating_gave_it():
    tape = simpler(drop_broadcasts, lambda x, s: x * broadcast_to(s, shape=(2, 3)), X, 2.0)
    assert names(tape) == ["broadcast_to", "multiply"]


def test_cotangents_of_sums_are_numbers():
    tape = simpler(drop_broadcasts, grad(lambda x: np.sum(np.sum(np.sin(x), axis=1) ** 2)), X)
    assert "broadcast_to" not in names(tape)
