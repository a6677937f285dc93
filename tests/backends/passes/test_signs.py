"""Minus signs that meet and cancel, to the last bit."""

import numpy as np
import pytest

from autodiff.backends.passes.rewrite.signs import SIGNS
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, simpler, specials

move_signs = alone(SIGNS)

X = specials((11, 11), np.float32)
Y = specials((11, 11), np.float32, 1).T.copy()

CASES = {
    "-(-x)": (lambda x, y: np.negative(-x), []),
    "x + -y": (lambda x, y: x + -y, ["subtract"]),
    "-x + y": (lambda x, y: -x + y, ["subtract"]),
    "x - -y": (lambda x, y: x - -y, ["add"]),
    "-x * y": (lambda x, y: -x * y, ["multiply", "negative"]),
    "-x * -y": (lambda x, y: -x * -y, ["multiply"]),
    "-x / y - x": (lambda x, y: x - -x / y, ["divide", "add"]),
    "-x * 2": (lambda x, y: -x * 2, ["multiply"]),
    "-x * 0": (lambda x, y: -x * 0, ["multiply"]),
    "-(x / 3)": (lambda x, y: -(x / 3), ["divide"]),
    "sum(-x)": (lambda x, y: np.sum(-x, axis=0) * 2, ["sum", "subtract", "multiply"]),
    "sums of both signs": (lambda x, y: np.sum(-x[:0], axis=0) + np.sum(-y[:, :2], axis=1), ["slice_of", "sum", "subtract", "slice_of", "sum", "subtract", "add"]),
    "-(1 / x)": (lambda x, y: -(1 / x), ["divide", "negative"]),
    "1 / -x": (lambda x, y: 1 / -x, ["divide"]),
    "a strong number": (lambda x, y: -(x * np.float32(3)), ["multiply"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_bit_stays(name):
    fun, left = CASES[name]
    assert names(simpler(move_signs, fun, X, Y)) == left


def test_integers_overflow_as_they_did():
    n = np.array([0, 1, -1, 127, -128], np.int8)
    assert names(simpler(move_signs, lambda n: (n - -n, -n * 2, -(n * 2), np.sum(-n)), n)) == [
        "add",
        "negative",
        "multiply",
        "multiply",
        "negative",
        "negative",
        "sum",
    ]


def test_numbers_of_python_stay_such():
    assert names(simpler(move_signs, lambda x, n: (np.negative(-x), x + -n), 1.5, 3)) == [
        "negative",
        "negative",
        "negative",
        "add",
    ]


def test_sums_of_every_length_and_axis_have_the_sign_that_numpy_gives_them():
    for length in (0, 1, 2, 7, 8, 9, 129, 1000):
        for dtype in (np.float16, np.float32, np.float64):
            for zero in (0.0, -0.0):
                x = np.full((length, 3), zero, dtype)
                simpler(move_signs, lambda x: (np.sum(-x), np.sum(-x, axis=0), np.sum(-x, axis=1)), x)


def test_a_sign_that_others_read_stays_inside():
    def fun(x, y):
        flipped = -x
        return flipped, flipped * y

    assert names(simpler(move_signs, fun, X, Y)) == ["negative", "multiply"]
