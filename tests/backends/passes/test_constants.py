"""What is known is computed when the tape is recorded."""

import numpy as np
import pytest

from autodiff import make_tape
from autodiff.backends.passes.rewrite.constants import fold_constants, uniform
from autodiff.ops.elementwise import add, divide, exp, multiply, power
from autodiff.trace.spec import spec
from autodiff.trace.tape import Equation, Literal, Tape, check_tape
from tests.backends.passes.tapes import names, simpler

X = np.array([0.5, -1.5, 2.0])
FLOAT = spec((), float, "python")
DOUBLE = spec((), float, "scalar")


def folded(primitive, specs, *literals):
    tape = Tape((), (Equation(primitive, tuple(map(Literal, literals)), (), (0,), specs),), (0,))
    check_tape(tape)
    return fold_constants(tape)


def test_operators_on_numbers_of_python_give_such():
    assert folded(add, (FLOAT,), 1.5, 2.0) == Tape((), (), (Literal(3.5),))


def test_functions_of_numpy_give_its_scalars_without_a_warning():
    assert folded(exp, (DOUBLE,), 1000.0) == Tape((), (), (Literal(np.float64(np.inf)),))
    assert folded(multiply, (DOUBLE,), np.float64(2), 3) == Tape((), (), (Literal(np.float64(6)),))


def test_what_raises_is_left_for_when_it_runs():
    assert names(folded(divide, (FLOAT,), 1.0, 0.0)) == ["divide"]
    assert names(folded(power, (spec((), int, "python"),), 2, -1)) == ["power"]


def test_constants_of_equal_elements_are_repeated_numbers():
    tape = simpler(fold_constants, lambda x: x * np.full(3, 2.5), X)
    assert str(tape).splitlines()[1:3] == [
        "    b: float64[3] = broadcast_to(np.float64(2.5), shape=(3,))",
        "    c: float64[3] = multiply(a, b)                             # test_constants.py:39",
    ]
    assert not tape.constants


def test_other_constants_stay():
    tape = simpler(fold_constants, lambda x: x * np.array([1.0, 1.0, 2.0]), X)
    assert (names(tape), len(tape.constants)) == (["multiply"], 1)


def test_a_constant_that_is_returned_is_an_array_of_its_own():
    tape = fold_constants(make_tape(lambda x: (x, np.ones(3) * x[0], np.ones(3)))(X))
    check_tape(tape)
    assert names(tape)[-1] == "copy"


@pytest.mark.parametrize(
    ("array", "number"),
    [
        (np.ones((2, 3)), 1.0), (np.zeros(5, np.float32), 0.0), (np.full(4, -0.0), -0.0), (np.full(3, np.nan), np.nan),
        (np.array([0.0, -0.0]), None), (np.zeros(0), None), (np.ones(3, bool), True), (np.full(3, 1 + 2j), 1 + 2j),
        (np.arange(100), None), (np.broadcast_to(np.float64(3), (4, 4)), 3.0), (np.array(["a"]), None),
        (np.where(np.arange(100) == 37, 1.0, 2.0), None), (np.ones((4, 4))[:, ::2].T, 1.0),
    ],
)  # fmt: skip
def test_equal_elements_are_equal_to_the_last_bit(array, number):
    found = uniform(array)
    assert (found is None) if number is None else (found.dtype == array.dtype and repr(found.item()) == repr(number))
