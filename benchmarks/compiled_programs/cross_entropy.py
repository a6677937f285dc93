"""Softmax cross-entropy with integer labels: work along rows, and one element picked from each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class CrossEntropy(Program):
    """Value and gradient with respect to the logits."""

    name = "cross-entropy"
    title = "softmax cross-entropy, value and gradient, integer labels, float32"
    # fmt: off
    rows = (
        Row("256x1000",   (256, 1_000),    0.40, "torch",         "0.18 ms",    "0.06 ms tried"),
        Row("8192x10",    (8_192, 10),     0.25, "torch.compile", "0.40 ms",    "0.07 ms tried"),
        Row("4096x32000", (4_096, 32_000), 0.35, "torch.compile", "250-330 ms", "60 ms tried"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        examples, classes = row.parameters
        logits = 3 * random.standard_normal((examples, classes), dtype=np.float32)
        return logits, random.integers(0, classes, examples)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.value_and_grad(written_for(np, autodiff.scipy.special.log_softmax))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.value_and_grad(written_for(jax.numpy, jax.nn.log_softmax))  # type: ignore[no-any-return]

    def autograd(self, autograd: Any, row: Row) -> Function:
        numpy, logsumexp = autograd.numpy, autograd.scipy.special.logsumexp

        def log_softmax(x: Any, axis: int) -> Any:
            return x - logsumexp(x, axis=axis, keepdims=True)

        return autograd.value_and_grad(written_for(numpy, log_softmax))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        logits, labels = inputs[0].requires_grad_(), inputs[1]
        loss = compiled(torch.nn.functional.cross_entropy)

        def step() -> Any:
            value = loss(logits, labels)
            return value, *torch.autograd.grad(value, logits)

        return step


def written_for(np: Any, log_softmax: Function) -> Function:
    """The loss, over one library's names."""

    def loss(logits: Any, labels: Any) -> Any:
        logarithms = log_softmax(logits, axis=1)
        return -np.mean(logarithms[np.arange(len(labels)), labels])

    return loss
