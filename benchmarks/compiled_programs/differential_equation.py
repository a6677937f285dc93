"""An ordinary differential equation: thousands of steps of a few scalar operations each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError, Program, Row

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

STEP = 0.005


class DifferentialEquation(Program):
    """Gradient of the last state's square with respect to two initial values and four rates."""

    name = "differential equation"
    title = "RK4 on Lotka-Volterra by scan, gradient of 6 inputs, float64"
    dtype = "float64"
    tolerance = 1e-9
    rows = (Row("2000 steps", (2_000,), 0.05, "jax", "4.0 ms", "0.07 ms tried"),)

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return np.array([1.0, 0.8]), np.array([1.1, 0.4, 0.1, 0.4])

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.grad(loss(np, autodiff.scan, *row.parameters), (0, 1))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.grad(loss(jax.numpy, jax.lax.scan, *row.parameters), (0, 1))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        if compiled is torch.compile:
            raise LeftOutError("torch.compile writes out every step of a loop: minutes for 2000 steps")
        start, rates = (array.requires_grad_() for array in inputs)

        def scan(step: Function, state: Any, xs: None, length: int) -> Any:
            for _ in range(length):
                state, _ = step(state, None)
            return state, None

        run = loss(torch, scan, *row.parameters)
        return lambda: torch.autograd.grad(run(start, rates), (start, rates))


def loss(np: Any, scan: Function, steps: int) -> Function:
    """The sum of squares of the last state, over one library's names."""

    def slope(state: Any, rates: Any) -> Any:
        prey, predators = state[0], state[1]
        growth, hunting, feeding, death = rates[0], rates[1], rates[2], rates[3]
        return np.stack([growth * prey - hunting * prey * predators, feeding * prey * predators - death * predators])

    def run(start: Any, rates: Any) -> Any:
        def step(state: Any, _: None) -> Any:
            slope_1 = slope(state, rates)
            slope_2 = slope(state + STEP / 2 * slope_1, rates)
            slope_3 = slope(state + STEP / 2 * slope_2, rates)
            slope_4 = slope(state + STEP * slope_3, rates)
            return state + STEP / 6 * (slope_1 + 2 * slope_2 + 2 * slope_3 + slope_4), None

        state, _ = scan(step, start, None, length=steps)
        return np.sum(state**2)

    return run
