"""The likelihood of a Gaussian process: factors of a matrix, and equations with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class GaussianProcess(Program):
    """Value and gradient by the three logarithms that describe a squared exponential kernel with noise."""

    name = "Gaussian process"
    title = "value and gradient of the likelihood of a Gaussian process, float64"
    dtype = "float64"
    tolerance = 1e-7
    # fmt: off
    rows = (
        Row("100 points", (100, 3), 1.0, "pytensor", "266 us", "100 us"),
        Row("300 points", (300, 3), 0.9, "jax",      "10 ms",  "1.2 ms of LAPACK"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        count, dimensions = row.parameters
        points = standard_normal(random, self.dtype, count, dimensions)
        distances = np.sum((points[:, None] - points[None]) ** 2, axis=-1)
        return np.array([0.1, 0.2, -2.0]), distances, standard_normal(random, self.dtype, count)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.value_and_grad(likelihood(np, np.linalg.solve))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        solve = jax.scipy.linalg.solve_triangular
        return jax.value_and_grad(  # type: ignore[no-any-return]
            likelihood(jax.numpy, lambda factor, y: solve(factor, y, lower=True))
        )

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        def solve(factor: Any, y: Any) -> Any:
            return torch.linalg.solve_triangular(factor, y[:, None], upper=False)[:, 0]

        gradient = compiled(torch.func.grad_and_value(likelihood(torch, solve)))

        def both() -> Any:
            found, value = gradient(*inputs)
            return value, found

        return both

    def pytensor(self, pytensor: Any, row: Row) -> Function:
        tensor, slinalg = pytensor.tensor, pytensor.tensor.slinalg
        logarithms, distances, y = tensor.dvector(), tensor.dmatrix(), tensor.dvector()
        kernel = tensor.exp(logarithms[0]) * tensor.exp(-0.5 * distances / tensor.exp(logarithms[1]))
        factor = slinalg.cholesky(kernel + tensor.exp(logarithms[2]) * tensor.eye(row.parameters[0]))
        half = slinalg.solve_triangular(factor, y, lower=True)
        value = 0.5 * tensor.dot(half, half) + tensor.sum(tensor.log(tensor.diag(factor)))
        return pytensor.function(  # type: ignore[no-any-return]
            [logarithms, distances, y], [value, pytensor.grad(value, logarithms)], trust_input=True
        )


def likelihood(np: Any, solve: Function) -> Function:
    """Less the logarithm of the likelihood, without its constant, over one library's names."""

    def negative(logarithms: Any, distances: Any, y: Any) -> Any:
        kernel = np.exp(logarithms[0]) * np.exp(-0.5 * distances / np.exp(logarithms[1]))
        factor = np.linalg.cholesky(kernel + np.exp(logarithms[2]) * np.eye(len(y)))
        half = solve(factor, y)
        return 0.5 * half @ half + np.sum(np.log(np.diag(factor)))

    return negative
