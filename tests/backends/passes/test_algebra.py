"""Arithmetic that changes nothing, to the last bit."""

import numpy as np
import pytest

from autodiff import make_tape
from autodiff.backends.passes.rewrite.algebra import ALGEBRA
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, simpler, specials

simplify_algebra = alone(ALGEBRA)

X = specials((11, 11), np.float32)
Y = specials((11, 11), np.float32, 1).T.copy()

CASES = {
    "x * 1": (lambda x, y: x * 1, []),
    "1.0 * x": (lambda x, y: 1.0 * x, []),
    "x * a strong one": (lambda x, y: x * np.float64(1), ["multiply"]),
    "x * -1": (lambda x, y: x * -1, ["negative"]),
    "x * 0": (lambda x, y: x * 0, ["multiply"]),
    "x / 1": (lambda x, y: x / 1, []),
    "x / -1": (lambda x, y: x / -1, ["negative"]),
    "x / 4": (lambda x, y: x / 4, ["multiply"]),
    "x / -0.125": (lambda x, y: x / -0.125, ["multiply"]),
    "x / 3": (lambda x, y: x / 3, ["divide"]),
    "x / 0": (lambda x, y: x / 0, ["divide"]),
    "x / the largest power": (lambda x, y: x / 2.0**127, ["divide"]),
    "x / a denormal": (lambda x, y: x / 2.0**-140, ["divide"]),
    "x + 0.0": (lambda x, y: x + 0.0, ["add"]),
    "x + -0.0": (lambda x, y: x + -0.0, []),
    "x + 0": (lambda x, y: x + 0, ["add"]),
    "x - 0.0": (lambda x, y: x - 0.0, []),
    "x - -0.0": (lambda x, y: x - -0.0, ["subtract"]),
    "0.0 - x": (lambda x, y: 0.0 - x, ["subtract"]),
    "x ** 1": (lambda x, y: x**1, []),
    "x ** 2": (lambda x, y: x**2, ["square"]),
    "x ** 2.0": (lambda x, y: x**2.0, ["square"]),
    "x ** 0.5": (lambda x, y: x**0.5, ["power"]),
    "x * x": (lambda x, y: x * x, ["square"]),
    "+x": (lambda x, y: +x, []),
    "conjugate": (lambda x, y: np.conjugate(x) + x.real, ["add"]),
    "maximum(x, x)": (lambda x, y: np.maximum(x, x), []),
    "where(c, x, x)": (lambda x, y: np.where(x > y, x, x), []),
    "not not c": (lambda x, y: np.logical_not(np.logical_not(x > y)), ["greater"]),
    "not x == y": (lambda x, y: np.logical_not(x == y), ["not_equal"]),
    "not x < y": (lambda x, y: np.logical_not(x < y), ["less", "logical_not"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_bit_stays(name):
    fun, left = CASES[name]
    assert names(simpler(simplify_algebra, fun, X, Y)) == left


def test_numbers_are_written_in_one_way():
    tape = simpler(simplify_algebra, lambda x: (1 + x, x * np.float32(2), x * np.float64(2), x - True), X)
    literals = [o for e in tape.equations for o in e.operands if not isinstance(o, int)]
    assert list(map(repr, literals)) == ["1.0", "2.0", "np.float64(2.0)", "True"]


INTEGERS = np.array([0, 1, -1, 127, -128], np.int8)


@pytest.mark.parametrize(
    ("fun", "left"),
    [
        (lambda n: n * 1 + 0, []),
        (lambda n: n / 1, ["multiply"]),
        (lambda n: n * n, ["multiply"]),
    ],
)
def test_integers_overflow_as_they_did(fun, left):
    assert names(simpler(simplify_algebra, fun, INTEGERS)) == left


def test_numbers_of_python_stay_such():
    tape = simpler(simplify_algebra, lambda x, n: (x * 1, x**2, n * 1.0, n - 0), 1.5, 3)
    assert names(tape) == ["power", "multiply"]


def test_integers_that_no_array_holds_are_left_alone():
    tape = make_tape(lambda x: x * 10**400)(1.5)
    assert simplify_algebra(tape) is tape


def test_complex_infinities_times_one_are_not_left_alone():
    z = np.array([complex(np.inf, 0), complex(0, -np.inf), 1 - 1j])
    assert names(simpler(simplify_algebra, lambda z: (z * 1, z + -0.0, z - 0.0, z * z), z)) == [
        "multiply", "add", "subtract", "multiply",
    ]  # fmt: skip
