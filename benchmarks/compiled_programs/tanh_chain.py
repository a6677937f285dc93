"""A deep chain: what a gradient keeps in memory, and what it computes again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError, Program, Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.compiled_programs.program import Function, Random

LAYERS, BLOCK = 100, 10
CHECKPOINTED = "checkpointed"


class TanhChain(Program):
    """Value and gradient of the sum of tanh(tanh(...)), a hundred deep."""

    name = "tanh chain"
    title = "peak memory of the value and gradient of 100 layers of tanh, 1e6 elements, float32"
    # fmt: off
    rows = (
        Row("plain",      (1_000_000,), 0.90, "jax", "jax 410-450 MB, torch.compile 278 MB", "40 MB with recompute"),
        Row(CHECKPOINTED, (1_000_000,), 0.25, "jax", "jax 410-450 MB without checkpoints",   "40 MB with recompute"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return (random.uniform(0.5, 1.5, row.parameters).astype(self.dtype),)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.value_and_grad(chain(np, kept(row, autodiff.checkpoint)))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.value_and_grad(chain(jax.numpy, kept(row, jax.checkpoint)))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        x = inputs[0].requires_grad_()

        def checkpoint(block: Function) -> Function:
            return lambda x: torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)

        loss = compiled(chain(torch, kept(row, checkpoint)))

        def step() -> Any:
            value = loss(x)
            return value, *torch.autograd.grad(value, x)

        return step

    def autograd(self, autograd: Any, row: Row) -> Function:
        if row.size == CHECKPOINTED:
            raise LeftOutError("autograd's checkpoint is not what its users have")
        return autograd.value_and_grad(chain(autograd.numpy, kept(row, None)))  # type: ignore[no-any-return]


def kept(row: Row, checkpoint: Callable[[Function], Function] | None) -> Callable[[Function], Function]:
    """What stands around a block of layers."""
    return checkpoint if row.size == CHECKPOINTED and checkpoint is not None else lambda block: block


def chain(np: Any, checkpoint: Callable[[Function], Function]) -> Function:
    """The sum over the last layer, over one library's names."""

    def block(x: Any) -> Any:
        for _ in range(BLOCK):
            x = np.tanh(x)
        return x

    def loss(x: Any) -> Any:
        for _ in range(LAYERS // BLOCK):
            x = checkpoint(block)(x)
        return np.sum(x)

    return loss
