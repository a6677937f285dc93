"""cond and switch: Python's branches, and what stands for them where values are not known."""

from typing import Any

import numpy as np
import pytest

from autodiff import Variable, check_tape, eval_tape, grad, hessian, jit, jvp, make_tape, vjp, vmap
from autodiff.transforms.control.cond import cond, switch
from autodiff.transforms.control.scan import scan

from .loops import check_against, close, names_on, staged

POINTS = [(0.1,), (0.4,), (0.6,), (2.0,)]


def branching(x: Any) -> Any:
    return cond(x > 0.5, lambda x: np.sin(x) * x, lambda x: np.log(1 - x) + 2.0, x)


def plain(x: Any) -> Any:
    return np.sin(x) * x if x > 0.5 else np.log(1 - x) + 2.0


def test_a_cond_is_a_branch() -> None:
    check_against(branching, plain, POINTS)


def test_on_a_tape_it_is_one_operation_with_both_tapes() -> None:
    tape = make_tape(grad(branching))(0.1)
    check_tape(tape)
    assert names_on(tape).count("switch") == 1  # the value is not asked for
    assert eval_tape(tape, 2.0) == pytest.approx(grad(plain)(2.0))


def test_only_the_branch_that_is_taken_runs() -> None:
    ran = []
    cond(True, lambda: ran.append("yes") or 1.0, lambda: ran.append("no") or 2.0)  # type: ignore[func-returns-value]
    assert ran == ["yes"]
    tape = make_tape(lambda x: cond(x > 0, np.sqrt, lambda x: x, x))(1.0)
    assert eval_tape(tape, -1.0) == -1.0  # np.sqrt(-1) would warn, which is an error here


def test_a_known_predicate_is_a_branch_inside_a_tape_too() -> None:
    assert names_on(make_tape(lambda x: cond(True, np.sin, np.cos, x))(1.0)) == ["sin"]


def test_what_is_not_taken_has_no_influence_on_derivatives() -> None:
    f = lambda x: cond(x > 0, np.sqrt, lambda x: 0.0 * x, x)  # noqa: E731
    assert vmap(grad(f))(np.array([0.0, 4.0, -1.0])).tolist() == [0.0, 0.25, 0.0]
    assert grad(lambda x: np.sum(vmap(f)(x)))(np.array([0.0, 4.0, -1.0])).tolist() == [0.0, 0.25, 0.0]


def test_closed_over_values_in_any_branch() -> None:
    def fun(w: Any, x: Any) -> Any:
        b = np.array([1.0, 2.0])
        return np.sum(cond(np.sum(x) > 0, lambda: w * x * b, lambda: np.sin(w) + b))

    def loop(w: Any, x: Any) -> Any:
        b = np.array([1.0, 2.0])
        return np.sum(w * x * b if np.sum(x) > 0 else np.sin(w) + b)

    check_against(fun, loop, [(0.3, np.array([1.0, 2.0])), (0.7, np.array([-1.0, -2.0]))])


def test_numbers_are_predicates_too() -> None:
    for pred in (2.5, np.float32(1), 1, np.array(True), -1):
        assert cond(pred, lambda: 1.0, lambda: 2.0) == 1.0
        assert staged(lambda p: cond(p, lambda: 1.0, lambda: 2.0))(pred) == 1.0
    assert cond(0.0, lambda: 1.0, lambda: 2.0) == 2.0


@pytest.mark.parametrize("run", [lambda f: f, staged], ids=["eager", "staged"])
def test_python_numbers_become_numpys_and_give_way(run: Any) -> None:
    found = run(lambda p: cond(p, lambda: 1.0, lambda: 2.0))(True)
    assert type(found) is np.float64
    x = np.float32(3)
    assert run(lambda p: cond(p, lambda: x * 1.0, lambda: x * 2))(False).dtype == np.float32
    assert staged(lambda p: cond(p, lambda: x * 1, lambda: 0.0))(False).dtype == np.float32


@pytest.mark.parametrize("mode", ["eager", "jit", "vjp", "vjp of jit"])
def test_arrays_without_axes_become_numbers_in_every_mode(mode: str) -> None:
    def branches(v: Any) -> Any:
        return cond(np.sum(v) > -1, lambda a: a, lambda a: a, v)

    fun = jit(branches) if "jit" in mode else branches
    found = vjp(fun, np.array(0.5))[0] if "vjp" in mode else fun(np.array(0.5))
    assert type(found) is np.float64


def test_a_switch_brings_its_index_into_range() -> None:
    def fun(x: Any, k: Any) -> Any:
        return switch(k, [lambda x: x * 2, np.sin, lambda x: x**3], x)

    def loop(x: Any, k: Any) -> Any:
        return [lambda x: x * 2, np.sin, lambda x: x**3][min(max(int(k), 0), 2)](x)

    check_against(fun, loop, [(0.3 + k, k) for k in (-1, 0, 1, 2, 7)])


def test_batches_of_operands_with_one_predicate_run_one_branch() -> None:
    fun = lambda k, x: switch(k, [lambda x: x, np.sqrt], x)  # noqa: E731
    tape = make_tape(vmap(fun, (None, 0)))(0, np.array([-1.0, 4.0]))
    check_tape(tape)
    np.testing.assert_array_equal(eval_tape(tape, 0, np.array([-1.0, 4.0])), [-1.0, 4.0])  # and no warning
    np.testing.assert_array_equal(eval_tape(tape, 1, np.array([1.0, 4.0])), [1.0, 2.0])


def test_trees_integers_and_constants_as_results() -> None:
    def fun(x: Any) -> Any:
        return cond(
            x > 0, lambda x: {"a": x, "n": 1, "c": np.ones(2)}, lambda x: {"a": x * 2, "n": 2, "c": x * np.ones(2)}, x
        )

    for x in (1.0, -1.0):
        close(staged(fun)(x), fun(x), "staged")
    found = vmap(fun)(np.array([1.0, -1.0]))
    assert (found["a"].tolist(), found["n"].tolist()) == ([1.0, -2.0], [1, 2])
    assert found["n"].dtype == np.int64


def test_conds_in_scans_and_scans_in_conds() -> None:
    def inner(x: Any) -> Any:
        return scan(lambda c, k: (cond(c > 1, lambda c: c * 0.5 * x, lambda c: c * 2 + k, c), c), x, np.arange(5.0))[0]

    def outer(x: Any) -> Any:
        return cond(x > 0.5, inner, lambda x: scan(lambda c, _: (np.sin(c), None), x, length=3)[0], x)

    def python(x: Any) -> Any:
        if not x > 0.5:
            return np.sin(np.sin(np.sin(x)))
        c = x
        for k in np.arange(5.0):
            c = c * 0.5 * x if c > 1 else c * 2 + k
        return c

    check_against(outer, python, POINTS)


def test_at_the_boundary_the_predicate_decides() -> None:
    assert [grad(branching)(x) for x in (0.5,)] == [staged(grad(branching))(0.5)] == [grad(plain)(0.5)]


def test_variables() -> None:
    x = Variable(np.array(0.7))
    cond(x.array > 0.5, lambda x: np.sin(x) * x, np.cos, x).backward()
    assert x.grad == pytest.approx(grad(plain)(0.7))
    x = Variable(np.array(0.7))
    eval_tape(make_tape(branching)(np.array(0.1)), x).backward()
    assert x.grad == pytest.approx(grad(plain)(0.7))


def test_forward_mode_and_hessians_of_replayed_tapes() -> None:
    tape = make_tape(branching)(0.1)
    for (x,) in POINTS:
        assert jvp(lambda x: eval_tape(tape, x), (x,), (1.0,))[1] == pytest.approx(grad(plain)(x))
        assert hessian(lambda x: eval_tape(tape, x))(x) == pytest.approx(hessian(plain)(x))
