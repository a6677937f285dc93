"""Where NaN comes from, wherever the operation stands: in plain code, programs, loops, and backward passes."""

from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import debug
from autodiff.trace.recording import is_recording

X = np.array([0.5, -1.0, 2.0])


def logarithm(x: Any) -> Any:
    return np.sum(np.log(x) * 2)


def compiled_inside(x: Any) -> Any:
    return autodiff.jit(logarithm, backend="numpy")(x + 0.0) + 1


def looped(x: Any) -> Any:
    return autodiff.fori_loop(0, 4, lambda i, c: np.sqrt(c) - 0.5, x)


def of_zero(x: Any) -> Any:
    return np.sqrt(np.sum(x * x))


TEXT = r"log made nan at \[1\] \(test_nans.py:\d+\); its operand there is -1.0$"
ROWS: dict[str, tuple[Any, Any, str]] = {
    "plain": (logarithm, X, TEXT),
    "jit": (autodiff.jit(logarithm, backend="numpy"), X, TEXT),
    "jit, kernels": (autodiff.jit(logarithm), X, TEXT),
    "jit inside": (compiled_inside, X, TEXT),
    "grad": (autodiff.grad(logarithm), X, TEXT),
    "grad of jit": (autodiff.grad(autodiff.jit(logarithm, backend="numpy")), X, TEXT),
    "a loop": (looped, 0.3, r"sqrt made nan \(test_nans.py:\d+\); its operand there is -0\.\d+$"),
    "a loop of jit": (autodiff.jit(looped, backend="numpy"), 0.3, r"made nan"),
    "the backward pass": (autodiff.grad(of_zero), np.zeros(2), r"multiply made nan .*; its operands .* inf|made nan"),
    "vmap": (autodiff.vmap(np.log), X, r"log made nan at \[1\] .*; its operand there is -1.0$"),
    "two operands": (lambda x: np.zeros(3) / np.array([1.0, 2.0, 0.0]) * x, X, None),
    "division": (lambda x: (x - x) / (x - x), np.float64(2.0), r"divide made nan \(test_nans.py:\d+\); its operands there are 0\., 0\.$"),
    "matrices": (lambda x: (x * np.inf) @ np.array([1.0, 0.0, 0.0]), np.ones(3), r"made nan"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_the_operation_is_named(name: str) -> None:
    fun, x, text = ROWS[name]
    with np.errstate(all="ignore"):
        if text is None:
            with pytest.raises(debug.NotFiniteError):
                debug.check_nans(lambda x: (x - x) / (x - x))(x)
            return
        with pytest.raises(debug.NotFiniteError, match=text):
            debug.check_nans(fun)(x)


def test_results_are_those_of_the_function() -> None:
    def f(x: Any, *, scale: float) -> Any:
        if np.sum(x) > 0:  # values are known
            return {"y": scale * np.exp(x), "same": x, "number": 3}
        return {"y": x}

    found = debug.check_nans(f)(X, scale=2.0)
    np.testing.assert_allclose(found["y"], 2 * np.exp(X))
    assert found["same"] is X
    assert found["number"] == 3
    np.testing.assert_allclose(debug.check_nans(autodiff.grad(of_zero))(X), X / np.sqrt(np.sum(X * X)))
    assert debug.check_nans(autodiff.jit(f, static_argnames="scale")).__name__ == "f"


def test_what_was_there_before_is_passed_on() -> None:
    nan = np.array([np.nan, 1.0])
    assert np.isnan(debug.check_nans(lambda x: np.sum(x * 2))(nan))


def test_infinities_where_they_are_asked_for() -> None:
    with np.errstate(all="ignore"):
        assert debug.check_nans(lambda x: 1 / x)(np.zeros(1)) == np.inf

        @debug.check_nans(infinities=True)
        def inverse(x: Any) -> Any:
            return 1 / x

        with pytest.raises(
            debug.NotFiniteError, match=r"divide made inf at \[1\] \(test_nans.py:\d+\); its operands there are 1, 0.0"
        ):
            inverse(np.array([1.0, 0.0]))
    assert issubclass(debug.NotFiniteError, FloatingPointError)


def test_a_training_step() -> None:
    def loss(params: Any, x: Any) -> Any:
        return np.mean(np.log(np.abs(params["w"] * x) - params["b"]))

    step = autodiff.jit(autodiff.value_and_grad(loss), backend="numpy")
    params = {"w": 2.0, "b": 0.1}
    value, gradient = debug.check_nans(step)(params, X)
    np.testing.assert_allclose(value, loss(params, X))
    assert gradient.keys() == params.keys()
    with pytest.raises(
        debug.NotFiniteError, match=r"log made nan at \[0\] \(test_nans.py:\d+\); its operand there is -0.5"
    ):
        debug.check_nans(step)({"w": 1.0, "b": 1.0}, np.array([0.5, 2.0]))


def test_derivatives_of_a_checked_function() -> None:
    """They were zero: what the function did was recorded by the check alone."""

    def f(x: Any) -> Any:
        return np.sum(x**3)

    checked = debug.check_nans(f)
    np.testing.assert_allclose(autodiff.grad(checked)(X), 3 * X**2)
    np.testing.assert_allclose(autodiff.hessian(checked)(X), np.diag(6 * X))
    assert autodiff.jvp(checked, (X,), (np.ones(3),))[1] == np.sum(3 * X**2)
    assert autodiff.grad(lambda k: debug.check_nans(lambda x: np.sum(k * x))(X))(2.0) == np.sum(X)  # closed over
    v = autodiff.Variable(X)
    checked(v).backward()
    np.testing.assert_allclose(v.grad, 3 * X**2)
    with pytest.raises(debug.NotFiniteError, match=TEXT):
        autodiff.grad(debug.check_nans(logarithm))(X)
    unknown = r"check_nans looks at values, but here only the shape of a traced float.* is known \(test_nans.py:"
    for outside in (
        lambda: autodiff.jit(checked)(X),
        lambda: autodiff.vmap(debug.check_nans(np.sin))(X),
        lambda: autodiff.jit(lambda k: debug.check_nans(lambda x: np.sum(k * x))(X))(2.0),
    ):
        with pytest.raises(autodiff.trace.errors.ConcretizationError, match=unknown):  # type: ignore[attr-defined]
            outside()
        assert not is_recording()  # none is left open
    with pytest.raises(TypeError, match="check_nans needs a function, got int"):
        debug.check_nans(5)  # type: ignore[arg-type]
