"""Frozen tapes: checked, run, compared."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autodiff import check_tape, eval_shape, eval_tape, grad, make_tape, vmap
from autodiff.backends.reference import run_tape
from autodiff.trace.spec import spec, spec_of
from autodiff.trace.tape import Literal, TapeError
from autodiff.trace.trees.tree import flatten

from .tapes import FUNCTIONS, X

EVERY = pytest.mark.parametrize("name", FUNCTIONS)


def assert_same(found: Any, wanted: Any) -> None:
    """The same structure, kinds, dtypes and bits."""
    (leaves, structure), (wanted_leaves, wanted_structure) = flatten(found), flatten(wanted)
    assert structure == wanted_structure
    for leaf, wanted_leaf in zip(leaves, wanted_leaves, strict=True):
        assert spec_of(leaf) == spec_of(wanted_leaf)
        assert np.array_equal(leaf, wanted_leaf, equal_nan=True)


@EVERY
def test_a_tape_computes_what_the_function_computes(name: str) -> None:
    fun, args = FUNCTIONS[name]
    tape = make_tape(fun)(*args)
    check_tape(tape)
    assert_same(eval_tape(tape, *args), fun(*args))


@EVERY
def test_specs_are_those_of_the_values(name: str) -> None:
    fun, args = FUNCTIONS[name]
    specs, structure = flatten(eval_shape(fun, *args))
    values, wanted = flatten(fun(*args))
    assert structure == wanted
    assert [(s.shape, s.dtype) for s in specs] == [(s.shape, s.dtype) for s in map(spec_of, values)]


@EVERY
def test_equal_programs_have_equal_tapes(name: str) -> None:
    fun, args = FUNCTIONS[name]
    one, two = make_tape(fun)(*args), make_tape(fun)(*args)
    assert one == two
    assert hash(one) == hash(two)


@EVERY
def test_a_tape_of_a_tape_is_the_tape(name: str) -> None:
    fun, args = FUNCTIONS[name]
    tape = make_tape(fun)(*args)
    again = make_tape(lambda *args: eval_tape(tape, *args))(*args)
    check_tape(again)
    assert_same(eval_tape(again, *args), fun(*args))
    assert [e.primitive for e in again.equations] == [e.primitive for e in tape.equations]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (0.0, -0.0), (1, True), (1, 1.0), (1.0, np.float64(1.0)), (np.float32(1), np.float64(1)), (1.0, 1 + 0j),
        (np.int32(1), np.int64(1)), (np.float32(0.0), np.float32(-0.0)),
    ],
)  # fmt: skip
def test_literals_differ_by_type_and_bits(a: Any, b: Any) -> None:
    assert Literal(a) == Literal(a)
    assert Literal(a) != Literal(b)
    assert make_tape(lambda x: x * a)(X) != make_tape(lambda x: x * b)(X)


def test_not_a_number_is_equal_to_itself() -> None:
    assert Literal(float("nan")) == Literal(float("nan"))
    assert hash(Literal(float("nan"))) == hash(Literal(float("nan")))


def test_parameters_differ_by_type_and_bits() -> None:
    tape = make_tape(lambda x: x[0])(X)
    (equation,) = tape.equations
    for key in ((True,), (0.0,), (np.int64(0),)):
        other = replace(tape, equations=(replace(equation, params=(("key", key),)),))
        assert other != tape
    zero = replace(equation, params=(("key", (0.0,)),))
    minus = replace(equation, params=(("key", (-0.0,)),))
    assert zero != minus
    assert zero == replace(zero)
    assert hash(zero) == hash(replace(zero))


def test_programs_differ_by_shape_dtype_and_order() -> None:
    tapes = {
        make_tape(np.sin)(X),
        make_tape(np.sin)(X[:2]),
        make_tape(np.sin)(X.astype(np.float32)),
        make_tape(np.sin)(1.0),
        make_tape(np.sin)(np.float64(1.0)),
        make_tape(np.cos)(X),
        make_tape(lambda x: (np.sin(x),))(X),
        make_tape(lambda x: np.sin(x) - x)(X),
        make_tape(lambda x: x - np.sin(x))(X),
    }
    assert len(tapes) == 9


def test_closed_over_arrays_take_no_part_in_comparisons() -> None:
    one, two = np.ones(3), np.zeros(3)
    assert make_tape(lambda x: x * one)(X) == make_tape(lambda x: x * two)(X)


def test_what_no_result_depends_on_is_left_out() -> None:
    def wasteful(x: Any) -> Any:
        np.exp(x)
        return np.sin(x)

    assert [e.primitive.name for e in make_tape(wasteful)(X).equations] == ["sin"]


def test_a_frozen_tape_takes_the_shapes_and_dtypes_that_it_was_made_for() -> None:
    table = np.ones(3)
    tape = make_tape(lambda p: {"mean": np.mean(p["x"] * table) * p["k"]})({"x": np.ones(3), "k": 1.0})
    assert eval_tape(tape, {"x": np.arange(3.0), "k": np.float64(2)})["mean"] == 2.0
    rows = vmap(lambda x: eval_tape(tape, {"x": x, "k": 1.0})["mean"])(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(rows, [1.0, 4.0])
    assert grad(lambda k: eval_tape(tape, {"x": X, "k": k})["mean"])(3.0) == pytest.approx(np.mean(X))
    for x, k, where, was in (
        (np.arange(4.0), 1.0, "float64[3] at args[0]['x']", "float64[4]"),  # its mean would be divided by 3
        (np.ones(3, np.float32), 1.0, "float64[3] at args[0]['x']", "float32[3]"),
        (X, 1, "float at args[0]['k']", "int"),
    ):
        with pytest.raises(TapeError, match=re.escape(f"the tape was made for {where}, got {was} (test_tape.py:")):
            eval_tape(tape, {"x": x, "k": k})


def test_a_tape_that_does_not_hold_together() -> None:
    tape = make_tape(lambda x: np.sin(x) * 2.0)(X)
    sine, product = tape.equations
    float32 = spec((3,), np.float32)
    for broken, text in [
        (
            replace(tape, equations=(product, sine)),
            "equation 0 (multiply) reads slot 1, which nothing has filled yet",
        ),
        (
            replace(tape, equations=(sine, replace(product, results=(1,)))),
            "equation 1 (multiply) fills slots (1,); the next free slot is 2",
        ),
        (
            replace(tape, equations=(replace(sine, specs=(float32,)), product)),
            "equation 0 (sin) is written down as (float32[3],) but gives (float64[3],)",
        ),
        (replace(tape, outputs=(7,)), "output slot 7 is filled by nothing"),
        (
            replace(tape, constants=(np.ones(2),)),
            "the constants are (float64[2],) but the last inputs are (float64[3],)",
        ),
    ]:
        with pytest.raises(TapeError) as error:
            check_tape(broken)
        assert str(error.value) == text


def test_inner_tapes_are_checked_too() -> None:
    fun, args = FUNCTIONS["checkpoint"]
    tape = make_tape(fun)(*args)
    (call,) = tape.equations
    inner = dict(call.params)["tape"]
    broken = replace(
        inner, equations=(replace(inner.equations[0], specs=(spec((5,), np.float64),)), *inner.equations[1:])
    )
    with pytest.raises(
        TapeError, match=r"^in the tape of equation 0 \(checkpoint\): equation 0 \(slice_of\) is written down as"
    ):
        check_tape(replace(tape, equations=(replace(call, params=(("tape", broken),)),)))


def test_the_wrong_number_of_inputs() -> None:
    with pytest.raises(ValueError, match=r"^the tape has 1 inputs, 2 were given; pass as many as it has$"):
        run_tape(make_tape(np.sin)(X), [X, X])


def test_python_numbers_stay_weak_wherever_a_tape_runs() -> None:
    x = np.ones(3, np.float32)

    def fun(a: Any) -> Any:
        return x * (abs(-a * 2 + 1) % 3)

    tape = make_tape(fun)(2.0)
    check_tape(tape)
    assert eval_tape(tape, 2.0).dtype == np.float32
    assert grad(lambda a: np.sum(eval_tape(tape, a)))(2.0) == grad(lambda a: np.sum(fun(a)))(2.0)
    assert make_tape(lambda a: eval_tape(tape, a))(2.0) == tape
    np.testing.assert_array_equal(vmap(lambda y: fun(2.0) * y)(x), np.zeros((3, 3)))
    captured = grad(lambda a: np.sum(vmap(lambda y: x * (a * 2.0) * y)(x)))
    assert captured(2.0) == 18.0
