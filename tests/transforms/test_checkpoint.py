"""checkpoint: the same values and derivatives, everything computed again in the backward pass."""

import inspect
from typing import Any

import numpy as np
import pytest

from autodiff import check_tape, checkpoint, eval_tape, grad, jacfwd, jvp, make_tape, remat, value_and_grad, vjp, vmap
from autodiff.testing import check_grads
from autodiff.trace.primitive import find_primitive

X = np.array([0.3, -0.8, 1.1])


def test_derivatives_are_those_of_the_function() -> None:
    check_grads(checkpoint(lambda x: np.sin(x) * np.exp(x) + np.sum(x**2)), (X,))


def test_remat_is_another_name() -> None:
    assert remat is checkpoint


def test_the_value_is_computed_once_and_once_more_backwards() -> None:
    calls = []

    @checkpoint
    def f(x: Any) -> Any:
        calls.append(1)
        return np.sin(x)

    value, pullback = vjp(f, 0.5)
    assert len(calls) == 1
    assert pullback(1.0) == (np.cos(0.5),)
    assert len(calls) == 1  # the tape runs again, not the function
    assert value == np.sin(0.5)


def test_operations_run_once_forwards(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []
    primitive = find_primitive("logaddexp")
    monkeypatch.setattr(primitive, "evaluate", lambda x, y: ran.append(1) or np.logaddexp(x, y))
    _, pullback = vjp(checkpoint(lambda x: primitive(x, 0.0) * 2), X)
    assert len(ran) == 1
    pullback(X)
    assert len(ran) == 2


def test_python_can_branch_on_values() -> None:
    @checkpoint
    def f(x: Any) -> Any:
        total = x
        while np.sum(total) < 10:
            total = total * 2
        return total if total[0] > 0 else -total

    np.testing.assert_array_equal(jacfwd(f)(X), 32 * np.eye(3))
    np.testing.assert_array_equal(grad(lambda x: np.sum(f(x)))(-X + 1), np.full(3, 8.0))


def test_closed_over_values_get_their_derivatives() -> None:
    def loss(w: Any) -> Any:
        return np.sum(checkpoint(lambda x: np.sin(w * x))(X))

    def plain(w: Any) -> Any:
        return np.sum(np.sin(w * X))

    assert grad(loss)(2.0) == pytest.approx(grad(plain)(2.0))
    assert grad(grad(loss))(2.0) == pytest.approx(grad(grad(plain))(2.0))
    assert jvp(loss, (2.0,), (1.0,)) == pytest.approx(jvp(plain, (2.0,), (1.0,)))
    np.testing.assert_allclose(vmap(grad(loss))(X), vmap(grad(plain))(X))


def test_closures_over_several_levels() -> None:
    def outer(v: Any) -> Any:
        return grad(lambda w: np.sum(checkpoint(lambda x: checkpoint(lambda y: v**2 * w**2 * x * y)(x))(X)))(v)

    assert grad(outer)(1.5) == pytest.approx(6 * 1.5**2 * np.sum(X**2))


def test_trees_and_what_is_no_array_pass_through() -> None:
    @checkpoint
    def f(p: Any, name: str, *, count: int, flag: Any = None) -> Any:
        return {"y": p["w"] * count, "name": name, "flag": flag, "n": count, "plain": [1.0]}

    (gradient, aux) = grad(lambda p: (np.sum((out := f(p, "net", count=3))["y"]), out), has_aux=True)({"w": X})
    np.testing.assert_array_equal(gradient["w"], np.full(3, 3.0))
    assert (aux["name"], aux["flag"], aux["n"], aux["plain"]) == ("net", None, 3, [1.0])


def test_results_that_have_no_derivative() -> None:
    @checkpoint
    def f(x: Any) -> Any:
        return np.argmax(x), x > 0, x * 2

    index, positive, _ = f(X)
    assert (index, positive.tolist()) == (2, [True, False, True])
    np.testing.assert_array_equal(grad(lambda x: np.sum(f(x)[2]))(X), np.full(3, 2.0))


def test_arguments_that_are_returned_untouched() -> None:
    assert grad(checkpoint(lambda x: x))(2.0) == 1.0
    outside = grad(lambda x: checkpoint(lambda: x)() * 3)(2.0)
    assert outside == 3.0


def test_several_results_of_which_one_is_used() -> None:
    f = checkpoint(lambda x: (np.sin(x), np.exp(x)))
    assert grad(lambda x: f(x)[1])(0.5) == np.exp(0.5)
    assert jvp(f, (0.5,), (1.0,))[1] == (np.cos(0.5), np.exp(0.5))


def test_python_numbers_stay_weak() -> None:
    x = np.ones(3, np.float32)
    f = checkpoint(lambda a: a * 2.0 * x)
    assert grad(lambda a: np.sum(f(a)))(3.0) == 6.0
    assert jvp(f, (3.0,), (1.0,))[1].dtype == np.float32


def test_on_a_tape_it_is_one_operation() -> None:
    tape = make_tape(lambda x: checkpoint(lambda y: np.sin(y) * X)(x) + 1)(X)
    check_tape(tape)
    assert [equation.primitive.name for equation in tape.equations] == ["checkpoint", "add"]
    np.testing.assert_array_equal(eval_tape(tape, X), np.sin(X) * X + 1)
    gradient = grad(lambda x: np.sum(eval_tape(tape, x)))(X)
    np.testing.assert_allclose(gradient, np.cos(X) * X)


def test_plain_arrays_are_protected_against_later_changes() -> None:
    buffer = np.ones(2000)

    def loss(x: Any) -> Any:
        total = 0.0
        for k in range(3):
            buffer[:] = k
            total = total + checkpoint(lambda y, b: np.sum(y * b) + np.sum(y * buffer))(x, buffer)
        return total

    np.testing.assert_array_equal(grad(loss)(np.ones(2000)), np.full(2000, 6.0))


def test_names_are_kept() -> None:
    @checkpoint
    def layer(x: Any, /, *, scale: float = 1.0) -> Any:
        """One layer."""
        return x * scale

    assert (layer.__name__, layer.__doc__) == ("layer", "One layer.")
    assert str(inspect.signature(layer)) == "(x: Any, /, *, scale: float = 1.0) -> Any"


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError) as error:
        checkpoint(3)  # type: ignore[arg-type]
    assert str(error.value) == "checkpoint needs a function, got int; write checkpoint(f)(x)"


def test_errors_inside_name_the_operation() -> None:
    with pytest.raises(ValueError, match=r"add\(float64\[3\], float64\[2\]\)"):
        value_and_grad(checkpoint(lambda x: np.sum(x + np.ones(2))))(X)
