"""Attention of long sequences, forward and backward: the scores are larger than everything else together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow, normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class Attention(DeviceProgram):
    """The value and the gradients of queries, keys and values."""

    name = "attention"
    title = "softmax attention, value and gradients"
    tolerance = 5e-4
    rows = (
        DeviceRow("4x12x2048x64", (4, 12, 2_048, 64), (1, 2, 9, 4)),
        DeviceRow("1x4x8192x64", (1, 4, 8_192, 64), (1, 1, 13, 4)),
        DeviceRow("4x12x2048x64 bfloat16", (4, 12, 2_048, 64), (1, 2, 9, 4), precision="bfloat16"),
        DeviceRow("1x4x8192x64 bfloat16", (1, 4, 8_192, 64), (1, 1, 13, 4), precision="bfloat16"),
    )

    def inputs(self, row: DeviceRow, random: Random) -> tuple[Any, ...]:  # type: ignore[override]
        return tuple(normal(random, *row.parameters) for _ in range(4))

    def autodiff(self, autodiff: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return autodiff.value_and_grad(written_for(np, autodiff.scipy.special.softmax), (0, 1, 2))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return jax.value_and_grad(written_for(jax.numpy, jax.nn.softmax), (0, 1, 2))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: DeviceRow, inputs: tuple[Any, ...]) -> Function:  # type: ignore[override]
        *given, weights = inputs
        leaves = [leaf.requires_grad_() for leaf in given]

        @compiled
        def loss() -> Any:
            return torch.mean(torch.nn.functional.scaled_dot_product_attention(*leaves) * weights)

        def step() -> Any:
            value = loss()
            return value, torch.autograd.grad(value, leaves)

        return step

    def operations(self, row: DeviceRow) -> int:
        """Two products forward, four backward."""
        batch, heads, length, width = row.parameters
        return 6 * 2 * batch * heads * length**2 * width


def written_for(np: Any, softmax: Function) -> Function:
    """A weighted mean of what attention gives, over one library's names."""

    def loss(queries: Any, keys: Any, values: Any, weights: Any) -> Any:
        scores = queries @ np.swapaxes(keys, -1, -2) * queries.shape[-1] ** -0.5
        return np.mean(softmax(scores, axis=-1) @ values * weights)

    return loss
