"""Whole trainings under other transformations: batches of them, compiled, and derivatives of what they reach."""

from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import optimize

STARTS = np.array([[-1.2, 1.0], [0.0, 0.0], [2.0, 2.0], [1.0, 1.0]])


def rosenbrock(x: Any) -> Any:
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def training(optimizer: Any, steps: int, searches: bool = False) -> Any:
    def step(carry: Any, _: Any) -> Any:
        x, state = carry
        value, gradient = autodiff.value_and_grad(rosenbrock)(x)
        extra = {"value": value, "grad": gradient, "value_fn": rosenbrock} if searches else {}
        updates, state = optimizer.update(gradient, state, x, **extra)
        return (optimize.apply_updates(x, updates), state), None

    return lambda x: autodiff.scan(step, (x, optimizer.init(x)), length=steps)[0][0]


ROWS: dict[str, tuple[Any, int, bool]] = {
    "lbfgs": (optimize.lbfgs(), 40, True),
    "backtracking": (optimize.lbfgs(linesearch=optimize.scale_by_backtracking_linesearch(30)), 15, True),
    "adam": (optimize.adam(0.05), 30, False),
    "several gradients": (optimize.MultiSteps(optimize.adam(0.05), 3), 20, False),
    "adafactor": (optimize.adafactor(0.05), 20, False),
    "a schedule": (optimize.sgd(optimize.cosine_decay_schedule(1e-3, 10), momentum=0.9), 20, False),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_batch_of_trainings(name: str) -> None:
    run = training(*ROWS[name])
    wanted = np.stack([run(start) for start in STARTS])
    np.testing.assert_allclose(autodiff.vmap(run)(STARTS), wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(autodiff.jit(autodiff.vmap(run), backend="numpy")(STARTS), wanted, rtol=1e-9, atol=1e-12)
    if name == "lbfgs":
        np.testing.assert_allclose(wanted, np.ones((4, 2)), atol=1e-8)


def test_a_batch_of_least_squares() -> None:
    t = np.linspace(0.0, 1.0, 10)
    optimizer = optimize.levenberg_marquardt(lambda p, y: p["a"] * np.exp(p["b"] * t) - y)

    def fitted(y: Any) -> Any:
        p: Any = {"a": 1.0, "b": -0.5}
        state = optimizer.init(p)
        for _ in range(12):
            updates, state = optimizer.update(None, state, p, args=(y,))
            p = optimize.apply_updates(p, updates)
        return p

    found = autodiff.vmap(fitted)(np.stack([2 * np.exp(-t), 3 * np.exp(-2 * t)]))
    np.testing.assert_allclose(found["a"], [2.0, 3.0], rtol=1e-8)
    np.testing.assert_allclose(found["b"], [-1.0, -2.0], rtol=1e-8)


def test_the_derivative_with_respect_to_the_learning_rate() -> None:
    def final(rate: Any) -> Any:
        optimizer = optimize.chain(optimize.scale_by_adam(eps_root=1e-8), optimize.scale_by_learning_rate(rate))
        return rosenbrock(training(optimizer, 20)(np.array([-1.2, 1.0])))

    slope = (final(0.01 + 1e-6) - final(0.01 - 1e-6)) / 2e-6
    assert float(autodiff.grad(final)(0.01)) == pytest.approx(slope, rel=1e-6)
    assert float(autodiff.jit(autodiff.grad(final), backend="numpy")(0.01)) == pytest.approx(slope, rel=1e-6)
