"""ADBench's LSTM: tiny cells, many steps; what a step of a loop costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import LeftOutError, Native, Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class LstmScan(Program):
    """Value and gradient of the loss of a predictor with elementwise weights, in a scan over the sequence."""

    name = "LSTM scan"
    title = "scan over two layers of 14-wide LSTM cells, value and gradient, float64"
    dtype = "float64"
    tolerance = 1e-9
    rows = (
        Row(
            "1024 steps",
            (1_024, 2, 14),
            goal=0.2,
            rival="jax",
            known="jax 6.3 ms",
            floor="0.35 ms tried",
            native=Native("Tapenade C", 5.0e-3),
        ),
    )

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        steps, layers, width = row.parameters

        def array(*shape: int) -> Any:
            return standard_normal(random, self.dtype, *shape, scale=0.5)

        parameters = {"weights": array(layers, 4, width), "biases": array(layers, 4, width), "ends": array(3, width)}
        return parameters, (array(layers, width), array(layers, width)), array(steps + 1, width)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.value_and_grad(loss(np, autodiff.scan, lambda x: 1 / (1 + np.exp(-x))))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.value_and_grad(loss(jax.numpy, jax.lax.scan, jax.nn.sigmoid))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        if compiled is torch.compile:
            raise LeftOutError("torch.compile writes out every step of a loop: minutes for 1024 steps")
        given, state, sequence = inputs
        parameters = {name: array.requires_grad_() for name, array in given.items()}

        def scan(step: Function, carry: Any, xs: Any) -> Any:
            results = []
            for x in zip(*xs):
                carry, result = step(carry, x)
                results.append(result)
            return carry, torch.stack(results)

        run = loss(torch, scan, torch.sigmoid)

        def step() -> Any:
            value = run(parameters, state, sequence)
            return value, dict(zip(parameters, torch.autograd.grad(value, list(parameters.values()))))

        return step


def loss(np: Any, scan: Function, sigmoid: Function) -> Function:
    """The mean cross-entropy of the predictions, over one library's names."""

    def cell(weight: Any, bias: Any, hidden: Any, memory: Any, x: Any) -> tuple[Any, Any]:
        forget = sigmoid(x * weight[0] + bias[0])
        entry = sigmoid(hidden * weight[1] + bias[1])
        exit_ = sigmoid(x * weight[2] + bias[2])
        change = np.tanh(hidden * weight[3] + bias[3])
        memory = memory * forget + entry * change
        return exit_ * np.tanh(memory), memory

    def run(parameters: Any, state: Any, sequence: Any) -> Any:
        weights, biases, ends = parameters["weights"], parameters["biases"], parameters["ends"]

        def step(carry: Any, pair: Any) -> Any:
            hidden, memory = carry
            now, following = pair
            x, after = now * ends[0], []
            for layer in range(len(weights)):
                x, kept = cell(weights[layer], biases[layer], hidden[layer], memory[layer], x)
                after.append((x, kept))
            predicted = x * ends[1] + ends[2]
            normalised = predicted - np.log(np.sum(np.exp(predicted)) + 2)
            carry = np.stack([x for x, _ in after]), np.stack([kept for _, kept in after])
            return carry, np.sum(following * normalised)

        _, terms = scan(step, state, (sequence[:-1], sequence[1:]))
        return -np.mean(terms) / sequence.shape[1]

    return run
