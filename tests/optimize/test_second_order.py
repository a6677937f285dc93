"""L-BFGS with its line searches, Gauss-Newton and Levenberg-Marquardt: what they reach, and what each step is."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

import autodiff
from autodiff import optimize


def rosenbrock(x: Any) -> Any:
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def logistic(p: Any) -> Any:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    return np.mean(np.logaddexp(0, -(2 * y - 1) * (X @ p["w"] + p["b"]))) + 0.01 * np.sum(p["w"] ** 2)


def minimized(optimizer: Any, fun: Any, x: Any, steps: int, compiled: bool = False) -> Any:
    def step(x: Any, state: Any) -> Any:
        value, gradient = autodiff.value_and_grad(fun)(x)
        updates, state = optimizer.update(gradient, state, x, value=value, grad=gradient, value_fn=fun)
        return optimize.apply_updates(x, updates), state

    state, step = optimizer.init(x), autodiff.jit(step, backend="numpy") if compiled else step
    for _ in range(steps):
        x, state = step(x, state)
    return x, state


SEARCHES = {
    "zoom": optimize.scale_by_zoom_linesearch(20),
    "backtracking": optimize.scale_by_backtracking_linesearch(30),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("search", SEARCHES)
def test_minima_are_found(search: str, compiled: bool) -> None:
    optimizer = optimize.lbfgs(linesearch=SEARCHES[search])
    x, _ = minimized(optimizer, rosenbrock, np.array([-1.2, 1.0, -0.5, 2.0]), 60, compiled)
    np.testing.assert_allclose(x, np.ones(4), atol=1e-6)
    found, _ = minimized(optimizer, logistic, {"w": np.zeros(3), "b": 0.0}, 25, compiled)
    gradient = autodiff.grad(logistic)(found)
    assert float(optimize.global_norm(gradient)) < 1e-8


@pytest.mark.parametrize("start", [(-1.2, 1.0), (0.0, 0.0), (3.0, -2.0), (1.0, 1.001)])
def test_the_conditions_hold_where_the_search_ends(start: Any) -> None:
    x = np.array(start)
    for scale in (1e-3, 1e-2, 1.0, 50.0):
        value, gradient = autodiff.value_and_grad(rosenbrock)(x)
        direction = -scale * gradient
        search = optimize.scale_by_zoom_linesearch(60)
        updates, state = search.update(direction, search.init(x), x, value=value, grad=gradient, value_fn=rosenbrock)
        slope = gradient @ direction
        rate = state.learning_rate
        np.testing.assert_allclose(updates, rate * direction)
        assert rosenbrock(x + updates) <= value + 1e-4 * rate * slope
        assert abs(autodiff.grad(rosenbrock)(x + updates) @ direction) <= 0.9 * abs(slope)
        assert float(state.value) == pytest.approx(float(rosenbrock(x + updates)))


def test_the_search_meets_edges() -> None:
    def barrier(x: Any) -> Any:
        return np.sum(x - np.log(x))  # NaN below 0

    with np.errstate(invalid="ignore"):
        x, _ = minimized(optimize.lbfgs(), barrier, np.array([4.0, 0.2]), 15)
    np.testing.assert_allclose(x, np.ones(2), atol=1e-6)
    search = optimize.scale_by_zoom_linesearch(10, max_learning_rate=0.5)
    line = lambda x: -x[0]  # noqa: E731
    updates, state = search.update(
        np.array([1.0]), search.init(np.zeros(1)), np.zeros(1), value=0.0, grad=np.array([-1.0]), value_fn=line
    )
    assert (float(state.learning_rate), updates.tolist()) == (0.5, [0.5])
    uphill, state = search.update(
        np.array([-1.0]), search.init(np.zeros(1)), np.zeros(1), value=0.0, grad=np.array([-1.0]), value_fn=line
    )
    assert uphill.tolist() == [0.0]


def test_arguments_of_the_function_are_handed_on() -> None:
    def shifted(x: Any, *, target: Any) -> Any:
        return np.sum((x - target) ** 2)

    x, target = np.zeros(2), np.array([1.0, 2.0])
    optimizer = optimize.lbfgs()
    state = optimizer.init(x)
    for _ in range(4):
        value, gradient = autodiff.value_and_grad(shifted)(x, target=target)
        updates, state = optimizer.update(
            gradient, state, x, value=value, grad=gradient, value_fn=shifted, target=target
        )
        x = optimize.apply_updates(x, updates)
    np.testing.assert_allclose(x, target, atol=1e-10)
    with pytest.raises(
        ValueError, match=r"scale_by_zoom_linesearch needs value, value_fn \(test_second_order.py:\d+\); call"
    ):
        optimizer.update(gradient, state, x, grad=gradient)


def test_float32_stays_float32() -> None:
    x, _ = minimized(optimize.lbfgs(), rosenbrock, np.zeros(2, np.float32), 25)
    assert x.dtype == np.float32
    np.testing.assert_allclose(x, np.ones(2), atol=1e-2)


# Least squares.

T = np.linspace(0.0, 2.0, 15)
Y = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.02 * np.sin(7 * T)


def decay(p: Any, t: Any = T, y: Any = Y) -> Any:
    return p["a"] * np.exp(p["b"] * t) + p["c"] - y


BEGIN = {"a": 1.0, "b": -0.5, "c": 0.0}


def dense_jacobian(x: Any) -> tuple[Any, Any]:
    fun = lambda v: decay({"a": v[0], "b": v[1], "c": v[2]})  # noqa: E731
    return autodiff.jacobian(fun)(x), fun(x)


def test_every_step_solves_the_normal_equations() -> None:
    optimizer = optimize.gauss_newton(decay, learning_rate=0.5, damping=0.1)
    params, state = BEGIN, optimizer.init(BEGIN)
    x = np.array([1.0, -0.5, 0.0])
    for _ in range(50):
        J, r = dense_jacobian(x)
        x = x + 0.5 * np.linalg.solve(J.T @ J + 0.1 * np.eye(3), -J.T @ r)
        updates, state = optimizer.update(None, state, params)
        params = optimize.apply_updates(params, updates)
        np.testing.assert_allclose([params[k] for k in "abc"], x, rtol=1e-8)


def test_levenberg_marquardt_step_by_step() -> None:
    optimizer = optimize.levenberg_marquardt(decay, damping=1.0)
    params, state = BEGIN, optimizer.init(BEGIN)
    x, damping, growth = np.array([1.0, -0.5, 0.0]), 1.0, 2.0
    for _ in range(15):
        J, r = dense_jacobian(x)
        step = np.linalg.solve(J.T @ J + damping * np.eye(3), -J.T @ r)
        promised = -((J.T @ r) @ step + (J @ step) @ (J @ step) / 2)
        ahead = dense_jacobian(x + step)[1]
        gain = (r @ r - ahead @ ahead) / 2 / promised
        taken = gain > 0
        x = x + step if taken else x
        damping, growth = (
            (damping * max(1 / 3, 1 - (2 * gain - 1) ** 3), 2.0) if taken else (damping * growth, 2 * growth)
        )
        updates, state = optimizer.update(None, state, params)
        params = optimize.apply_updates(params, updates)
        if promised > 1e-12:  # below that gains are rounding errors
            np.testing.assert_allclose([params[k] for k in "abc"], x, rtol=1e-7)
            assert float(state.damping) == pytest.approx(damping, rel=1e-4)
    wanted = least_squares(lambda v: dense_jacobian(v)[1], [1.0, -0.5, 0.0], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    np.testing.assert_allclose([params[k] for k in "abc"], wanted.x, rtol=1e-6)


@pytest.mark.parametrize("compiled", [False, True])
def test_data_are_arguments(compiled: bool) -> None:
    optimizer = optimize.levenberg_marquardt(decay)

    def step(params: Any, state: Any, t: Any, y: Any) -> Any:
        updates, state = optimizer.update(None, state, params, args=(t, y))
        return optimize.apply_updates(params, updates), state

    run = autodiff.jit(step, backend="numpy") if compiled else step
    params, state = BEGIN, optimizer.init(BEGIN)
    for _ in range(25):
        params, state = run(params, state, T, 3 * np.exp(-T) + 1)
    np.testing.assert_allclose([params[k] for k in "abc"], [3.0, -1.0, 1.0], rtol=1e-8)


def test_a_step_that_makes_things_worse_is_not_taken() -> None:
    optimizer = optimize.levenberg_marquardt(lambda x: np.tanh(3 * x), damping=1e-12)
    x = np.array([1.5])
    state = optimizer.init(x)
    updates, after = optimizer.update(None, state, x)
    assert updates.tolist() == [0.0]
    assert float(after.damping) == pytest.approx(2e-12)
    for _ in range(60):
        updates, state = optimizer.update(None, state, x)
        x = x + updates
    np.testing.assert_allclose(x, 0, atol=1e-8)
