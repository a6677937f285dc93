"""A chain of elementwise functions and a sum: what fusing loops and vector mathematics are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class Elementwise(Program):
    """Value and gradient of sum(tanh(a x + b) sigmoid(x) + log1p(exp(-x^2)))."""

    name = "elementwise"
    title = "sum(tanh(ax+b) sigmoid(x) + log1p(exp(-x^2))), value and gradient, float32"
    # fmt: off
    rows = (
        Row("1e4", (10_000,),     0.35, "jax",           "40 us",  "10 us tried"),
        Row("1e6", (1_000_000,),  0.70, "jax",           "1.3 ms", "0.8 ms tried"),
        Row("1e7", (10_000_000,), 0.25, "torch.compile", "51 ms",  "8-11 ms tried"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return (standard_normal(random, self.dtype, *row.parameters),)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.value_and_grad(written_for(np, lambda x: 1 / (1 + np.exp(-x))))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.value_and_grad(written_for(jax.numpy, jax.nn.sigmoid))  # type: ignore[no-any-return]

    def autograd(self, autograd: Any, row: Row) -> Function:
        numpy = autograd.numpy
        return autograd.value_and_grad(written_for(numpy, lambda x: 1 / (1 + numpy.exp(-x))))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        x = inputs[0].requires_grad_()
        loss = compiled(written_for(torch, torch.sigmoid))

        def step() -> Any:
            value = loss(x)
            return value, *torch.autograd.grad(value, x)

        return step


def written_for(np: Any, sigmoid: Function) -> Function:
    """The function itself, over one library's names."""

    def loss(x: Any) -> Any:
        return np.sum(np.tanh(1.5 * x + 0.5) * sigmoid(x) + np.log1p(np.exp(-(x**2))))

    return loss
