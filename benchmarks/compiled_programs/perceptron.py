"""A training step of a multilayer perceptron with Adam: overhead in a small one, matrix products in a large one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

RATE, DECAY_1, DECAY_2, EPSILON = 1e-4, 0.9, 0.999, 1e-8


class Perceptron(Program):
    """Loss and the updated parameters, moments and step count."""

    name = "perceptron"
    title = "training step of a multilayer perceptron with Adam, float32"
    # fmt: off
    rows = (
        Row("64-32-10 batch 32",           (32,  (64, 32, 10)),           0.40, "jax", "39 us",  "7-11 us tried"),
        Row("64-32-10 batch 32 donated",   (32,  (64, 32, 10)),           0.30, "jax", "39 us",  "7-11 us tried",
            donated=(0,)),
        Row("784-1000-1000-10 batch 128",  (128, (784, 1000, 1000, 10)),  1.00, "jax", "7.6 ms", "6.5 ms floor"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        batch, widths = row.parameters

        def layers(scale: float, square: bool) -> Any:
            arrays = [
                [standard_normal(random, self.dtype, *shape, scale=scale * fan**-0.5) for shape in ((fan, out), (out,))]
                for fan, out in pairwise(widths)
            ]
            if square:  # none is nearly zero: by its root the smallest error would become a long step
                return [[array**2 + scale**2 / len(layer[0]) for array in layer] for layer in arrays]
            return arrays

        state = {
            "parameters": layers(1.0, square=False),
            "means": layers(1e-2, square=False),
            "squares": layers(1e-1, square=True),
            "steps": np.asarray(10, self.dtype),
        }
        return state, standard_normal(random, self.dtype, batch, widths[0]), random.integers(0, widths[-1], batch)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return training_step(np, autodiff.value_and_grad, autodiff.scipy.special.log_softmax)

    def jax(self, jax: Any, row: Row) -> Function:
        return training_step(jax.numpy, jax.value_and_grad, jax.nn.log_softmax)

    def autograd(self, autograd: Any, row: Row) -> Function:
        numpy, logsumexp = autograd.numpy, autograd.scipy.special.logsumexp

        def log_softmax(x: Any, axis: int) -> Any:
            return x - logsumexp(x, axis=axis, keepdims=True)

        return training_step(numpy, autograd.value_and_grad, log_softmax)

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        functional = torch.nn.functional
        state, x, labels = inputs
        layers = [[weights.T.contiguous(), bias] for weights, bias in state["parameters"]]
        parameters = [array.requires_grad_() for layer in layers for array in layer]
        betas = DECAY_1, DECAY_2
        optimizer = torch.optim.Adam(parameters, RATE, betas, EPSILON, fused=True, capturable=x.is_cuda)
        for kind, key in (("means", "exp_avg"), ("squares", "exp_avg_sq")):
            arrays = [array for weights, bias in state[kind] for array in (weights.T.contiguous(), bias)]
            for parameter, array in zip(parameters, arrays):
                optimizer.state[parameter][key] = array
                optimizer.state[parameter]["step"] = state["steps"].clone()

        @compiled
        def loss() -> Any:
            hidden = x
            for weights, bias in layers[:-1]:
                hidden = torch.relu(functional.linear(hidden, weights, bias))
            return functional.cross_entropy(functional.linear(hidden, *layers[-1]), labels)

        def paired(arrays: list[Any]) -> Any:
            return [[weights.T, bias] for weights, bias in zip(arrays[::2], arrays[1::2])]

        def step() -> Any:
            optimizer.zero_grad()
            value = loss()
            value.backward()
            optimizer.step()
            kept = [optimizer.state[parameter] for parameter in parameters]
            return {
                "parameters": paired(parameters),
                "means": paired([each["exp_avg"] for each in kept]),
                "squares": paired([each["exp_avg_sq"] for each in kept]),
                "steps": kept[0]["step"],
            }, value

        return step


def training_step(np: Any, value_and_grad: Function, log_softmax: Function) -> Function:
    """Forward, backward and Adam, over one library's names."""

    def loss(parameters: Any, x: Any, labels: Any) -> Any:
        for weights, bias in parameters[:-1]:
            x = np.maximum(x @ weights + bias, 0)
        weights, bias = parameters[-1]
        logarithms = log_softmax(x @ weights + bias, axis=1)
        return -np.mean(logarithms[np.arange(len(labels)), labels])

    def updated(parameter: Any, gradient: Any, mean: Any, square: Any, steps: Any) -> tuple[Any, Any, Any]:
        mean = DECAY_1 * mean + (1 - DECAY_1) * gradient
        square = DECAY_2 * square + (1 - DECAY_2) * gradient**2
        unbiased_mean = mean / (1 - DECAY_1**steps)
        unbiased_square = square / (1 - DECAY_2**steps)
        return parameter - RATE * unbiased_mean / (np.sqrt(unbiased_square) + EPSILON), mean, square

    def step(state: Any, x: Any, labels: Any) -> Any:
        value, gradients = value_and_grad(loss)(state["parameters"], x, labels)
        steps = state["steps"] + 1
        after: Any = {"parameters": [], "means": [], "squares": [], "steps": steps}
        for layers in zip(state["parameters"], gradients, state["means"], state["squares"]):
            arrays = [updated(*each, steps) for each in zip(*layers)]
            for key, layer in zip(("parameters", "means", "squares"), zip(*arrays)):
                after[key].append(list(layer))
        return after, value

    return step
