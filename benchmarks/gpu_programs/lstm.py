"""Steps of an LSTM, forward and backward: a product of matrices and elementwise work, again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow, normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class Lstm(DeviceProgram):
    """The mean square of the distance from a target after some steps, and gradients of parameters and state."""

    name = "LSTM"
    title = "steps of an LSTM, value and gradients, float32"
    tolerance = 5e-4
    rows = (
        DeviceRow("1 step batch 128 width 512", (1, 128, 512), (1, 3, 4)),
        DeviceRow("8 steps batch 16 width 64", (8, 16, 64), (2, 2, 4), replayed=True),
    )

    def inputs(self, row: DeviceRow, random: Random) -> tuple[Any, ...]:  # type: ignore[override]
        steps, batch, width = row.parameters

        def array(*shape: int) -> Any:
            return normal(random, *shape, scale=width**-0.5)

        parameters = {"input": array(width, 4 * width), "hidden": array(width, 4 * width), "bias": array(4 * width)}
        state = normal(random, batch, width), normal(random, batch, width)
        return parameters, state, normal(random, steps, batch, width), normal(random, batch, width)

    def autodiff(self, autodiff: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return autodiff.value_and_grad(written_for(np, lambda x: 1 / (1 + np.exp(-x))), (0, 1))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return jax.value_and_grad(written_for(jax.numpy, jax.nn.sigmoid), (0, 1))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: DeviceRow, inputs: tuple[Any, ...]) -> Function:  # type: ignore[override]
        given, state, sequence, target = inputs
        parameters = {name: array.T.contiguous().requires_grad_() for name, array in given.items() if array.ndim == 2}
        bias = given["bias"].requires_grad_()
        none = torch.zeros_like(bias)
        cell = torch.nn.LSTMCell(row.parameters[2], row.parameters[2], device=bias.device)
        names = {"weight_ih": parameters["input"], "weight_hh": parameters["hidden"], "bias_ih": bias, "bias_hh": none}
        state = tuple(each.requires_grad_() for each in state)

        @compiled
        def loss() -> Any:
            after = state
            for x in sequence:
                after = torch.func.functional_call(cell, names, (x, after))
            return torch.mean((after[0] - target) ** 2)

        def step() -> Any:
            value = loss()
            entry, hidden, shift, *carries = torch.autograd.grad(
                value, [parameters["input"], parameters["hidden"], bias, *state]
            )
            return value, ({"input": entry.T, "hidden": hidden.T, "bias": shift}, tuple(carries))

        return step


def written_for(np: Any, sigmoid: Function) -> Function:
    """The loss, over one library's names."""

    def loss(parameters: Any, state: Any, sequence: Any, target: Any) -> Any:
        hidden, cell = state
        for x in sequence:
            gates = x @ parameters["input"] + hidden @ parameters["hidden"] + parameters["bias"]
            entry, forget, change, exit_ = np.split(gates, 4, axis=1)
            cell = sigmoid(forget) * cell + sigmoid(entry) * np.tanh(change)
            hidden = sigmoid(exit_) * np.tanh(cell)
        return np.mean((hidden - target) ** 2)

    return loss
