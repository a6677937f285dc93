"""What is not needed is left out, and what was done is not done again."""

import numpy as np

from autodiff import checkpoint, grad, make_tape
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.ops.elementwise import add, multiply, sin
from autodiff.trace.spec import spec
from autodiff.trace.tape import Equation, Literal, Tape, check_tape
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, simpler

merge_repeated = alone({}, merge=True)

X = np.array([0.5, -1.5, 2.0])
F3 = spec((3,), float)


def test_operations_that_no_output_needs_are_dropped_and_inputs_stay():
    tape = Tape(
        (F3, F3),
        (
            Equation(sin, (0,), (), (2,), (F3,), "a.py:1"),
            Equation(multiply, (0, Literal(2.0)), (), (3,), (F3,), "a.py:2"),
            Equation(sin, (2,), (), (4,), (F3,), "a.py:3"),
        ),
        (3,),
    )
    after = drop_dead(tape)
    check_tape(after)
    assert str(after) == (
        "tape(a: float64[3], b: float64[3]):\n    c: float64[3] = multiply(a, 2.0)  # a.py:2\n    return c"
    )
    assert drop_dead(after) is after


def test_constants_that_nothing_reads_are_dropped():
    tape = Tape((F3, F3, F3), (Equation(sin, (2,), (), (3,), (F3,)),), (3, 0), (X, X + 1))
    after = drop_dead(tape)
    check_tape(after)
    assert after == Tape((F3, F3), (Equation(sin, (1,), (), (2,), (F3,)),), (2, 0))
    assert after.constants[0] is tape.constants[1]


def test_one_result_of_several_is_enough_to_stay():
    assert names(simpler(drop_dead, lambda x: np.split(x, 3)[1], X)) == ["split"]


def test_equal_operations_are_done_once():
    tape = simpler(merge_repeated, lambda x: np.sin(x) * np.cos(x) + np.cos(x) * np.sin(x), X)
    assert names(tape) == ["sin", "cos", "multiply", "add"]


def test_literals_of_other_bits_or_types_are_others():
    tape = simpler(
        merge_repeated, lambda x: (x + 0.0, x + -0.0, x + 0, x + 0.0, np.maximum(x, 1), np.maximum(x, True)), X
    )
    assert names(tape) == ["add", "add", "add", "maximum", "maximum"]


def test_differences_and_the_larger_of_two_do_not_commute():
    assert names(simpler(merge_repeated, lambda x: (x - 2, 2 - x, np.maximum(x, 2), np.maximum(2, x)), X)) == [
        "subtract", "subtract", "maximum", "maximum",
    ]  # fmt: skip


def test_an_operator_on_numbers_is_not_the_function_of_that_name():
    tape = make_tape(lambda x: (x + 1.0, np.add(x, 1.0)))(2.0)
    assert [repr(e.specs[0]) for e in merge_repeated(tape).equations] == ["float", "float64[]"]


def test_recomputation_stays_apart():
    def twice(x):
        return np.sum(np.sin(np.sin(x)) * 2.0)

    tape = make_tape(grad(lambda x: checkpoint(twice)(x) + twice(x)))(X)
    assert names(merge_repeated(tape)).count("checkpoint") == names(tape).count("checkpoint") > 0


def test_a_tape_that_nothing_changes_is_returned_itself():
    tape = make_tape(lambda x: np.sin(x) * 2)(X)
    assert merge_repeated(tape) is tape
    assert rewrite(tape, {}) is tape


def test_a_rule_that_would_change_a_dtype_is_ignored():
    tape = make_tape(lambda x: np.sin(x.astype(np.float32)))(X)
    assert rewrite(tape, {"sin": (lambda builder, equation: 0,)}) is tape
    assert add in {e.primitive for e in make_tape(lambda x: x + x)(X).equations}
