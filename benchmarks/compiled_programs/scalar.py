"""Functions of two numbers: their values and gradients, where all is overhead, and where nothing is an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError, Program, Row

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class ScalarGradient(Program):
    """Some operations on two numbers, written out by a Python loop."""

    name = "scalar gradient"
    title = "value and gradient of a function of two numbers, float64; ours and CasADi's bound to their memory"
    dtype = "float64"
    tolerance = 1e-11
    bound = True
    # fmt: off
    rows = (
        Row("7 operations",   (0,),  1.0, "casadi, C", "0.12 us", "0.1 us"),
        Row("400 operations", (57,), 1.0, "casadi, C", "2.3 us",  "2 us of functions"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return np.array(0.3), np.array(0.7)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.value_and_grad(written(np, row), argnums=(0, 1))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.value_and_grad(written(jax.numpy, row), argnums=(0, 1))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        if compiled is torch.compile and row.parameters[0]:
            raise LeftOutError("torch.compile takes minutes for hundreds of operations on numbers")
        gradient = compiled(torch.func.grad_and_value(written(torch, row), argnums=(0, 1)))

        def both() -> Any:
            found, value = gradient(*inputs)
            return value, found

        return both

    def casadi(self, casadi: Any, row: Row) -> Any:
        x, y = casadi.SX.sym("x"), casadi.SX.sym("y")
        value = written(casadi, row)(x, y)
        return casadi.Function("f", [x, y], [value, casadi.gradient(value, x), casadi.gradient(value, y)])


def written(np: Any, row: Row) -> Function:
    """The function, over one library's names."""

    def function(x: Any, y: Any) -> Any:
        for k in range(row.parameters[0]):
            x, y = np.sin(x) * y + 0.01 * k, x * y - np.cos(y) * 0.01
        return np.sin(x) * y + np.exp(x - y) / 2 - x

    return function
