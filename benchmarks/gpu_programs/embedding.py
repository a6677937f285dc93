"""Rows of a large table, gathered by tokens, and its gradient: rows are added where tokens come again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow, normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class Embedding(DeviceProgram):
    """The value and the gradient of the whole table."""

    name = "embedding"
    title = "rows of a table by tokens, value and gradient, float32"
    rows = (DeviceRow("50257x768, 16384 tokens", (50_257, 768, 16_384), (31, 6, 50)),)

    def inputs(self, row: DeviceRow, random: Random) -> tuple[Any, ...]:  # type: ignore[override]
        words, width, tokens = row.parameters
        return normal(random, words, width), random.integers(0, words, tokens), normal(random, tokens, width)

    def autodiff(self, autodiff: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return autodiff.value_and_grad(written_for(np))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return jax.value_and_grad(written_for(jax.numpy))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: DeviceRow, inputs: tuple[Any, ...]) -> Function:  # type: ignore[override]
        table, tokens, weights = inputs[0].requires_grad_(), *inputs[1:]

        @compiled
        def loss() -> Any:
            return torch.mean(torch.nn.functional.embedding(tokens, table) * weights)

        def step() -> Any:
            value = loss()
            return value, *torch.autograd.grad(value, table)

        return step

    def cupy(self, cupy: Any, row: DeviceRow) -> Function:
        def step(table: Any, tokens: Any, weights: Any) -> Any:
            gradient = cupy.zeros_like(table)
            cupy.add.at(gradient, tokens, weights / weights.size)
            return cupy.mean(table[tokens] * weights), gradient

        return step


def written_for(np: Any) -> Function:
    """A weighted mean of the rows, over one library's names."""
    return lambda table, tokens, weights: np.mean(table[tokens] * weights)
