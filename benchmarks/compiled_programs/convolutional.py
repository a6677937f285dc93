"""Training steps of convolutional networks: convolution, pooling, and memory layout between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row, standard_normal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.compiled_programs.program import Function, Random

RATE = 0.01
LENET = ((28, 1), (("conv", 6, 5, 2), ("pool",), ("conv", 16, 5, 0), ("pool",), ("dense", 120), ("dense", 84)))
VGG = ((32, 3), (*(("conv", 64, 3, 1),) * 2, ("pool",), *(("conv", 128, 3, 1),) * 2, ("pool",)))


class Convolutional(Program):
    """Loss, and the parameters after one step of plain gradient descent."""

    name = "convolutional"
    title = "training step of a convolutional network, float32"
    tolerance = 2e-3  # in float32 another element may be the largest of a pooling window
    # fmt: off
    rows = (
        Row("LeNet 28x28 batch 64",    (64, *LENET), 1.0, "torch.compile", "9.5 ms", "4 ms floor"),
        Row("VGG block 32x32 batch 32", (32, *VGG),  1.2, "torch.compile", "114 ms", "92 ms floor"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        batch, (size, channels), layers = row.parameters

        def array(*shape: int) -> Any:
            return standard_normal(random, self.dtype, *shape, scale=(2 / np.prod(shape[1:])) ** 0.5)

        parameters = [(array(*shape), np.zeros(shape[0], self.dtype)) for shape in shapes(size, channels, layers)]
        images = standard_normal(random, self.dtype, batch, channels, size, size)
        return parameters, images, random.integers(0, 10, batch)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        functions = autodiff.chainer.functions

        def loss(parameters: Any, images: Any, labels: Any) -> Any:
            x, remaining = images, iter(parameters)
            for kind, *numbers in row.parameters[-1]:
                if kind == "pool":
                    x = functions.max_pooling_2d(x, 2)
                elif kind == "conv":
                    x = functions.relu(functions.convolution_2d(x, *next(remaining), pad=numbers[-1]))
                else:
                    x = functions.relu(functions.linear(x, *next(remaining)))
            return functions.softmax_cross_entropy(functions.linear(x, *next(remaining)), labels)

        return descent(autodiff.value_and_grad(loss))

    def jax(self, jax: Any, row: Row) -> Function:
        numpy, lax = jax.numpy, jax.lax

        def loss(parameters: Any, images: Any, labels: Any) -> Any:
            x, remaining = images, iter(parameters)
            for kind, *numbers in row.parameters[-1]:
                if kind == "pool":
                    x = lax.reduce_window(x, -numpy.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
                    continue
                weights, bias = next(remaining)
                if kind == "conv":
                    x = lax.conv(x, weights, (1, 1), "SAME" if numbers[-1] else "VALID") + bias[:, None, None]
                else:
                    x = x.reshape(len(x), -1) @ weights.T + bias
                x = jax.nn.relu(x)
            weights, bias = next(remaining)
            logarithms = jax.nn.log_softmax(x.reshape(len(x), -1) @ weights.T + bias)
            return -numpy.mean(logarithms[numpy.arange(len(labels)), labels])

        return descent(jax.value_and_grad(loss))

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        functional = torch.nn.functional
        parameters, images, labels = inputs
        trained = [array.requires_grad_() for pair in parameters for array in pair]
        optimizer = torch.optim.SGD(trained, RATE)

        @compiled
        def loss() -> Any:
            x, remaining = images, iter(parameters)
            for kind, *numbers in row.parameters[-1]:
                if kind == "pool":
                    x = functional.max_pool2d(x, 2)
                elif kind == "conv":
                    x = functional.relu(functional.conv2d(x, *next(remaining), padding=numbers[-1]))
                else:
                    x = functional.relu(functional.linear(x.flatten(1), *next(remaining)))
            return functional.cross_entropy(functional.linear(x.flatten(1), *next(remaining)), labels)

        def step() -> Any:
            optimizer.zero_grad()
            value = loss()
            value.backward()
            optimizer.step()
            return parameters, value

        return step


def descent(value_and_grad: Function) -> Function:
    """The step."""

    def step(parameters: Any, images: Any, labels: Any) -> Any:
        value, gradients = value_and_grad(parameters, images, labels)
        return [
            (weights - RATE * weights_gradient, bias - RATE * bias_gradient)
            for (weights, bias), (weights_gradient, bias_gradient) in zip(parameters, gradients)
        ], value

    return step


def shapes(size: int, channels: int, layers: tuple[Any, ...]) -> Iterator[tuple[int, ...]]:
    """The weights of every layer and of the last one, which knows ten classes."""
    features = channels * size**2
    for kind, *numbers in (*layers, ("dense", 10)):
        if kind == "pool":
            size //= 2
        elif kind == "conv":
            yield numbers[0], channels, numbers[1], numbers[1]
            channels, size = numbers[0], size + 2 * numbers[2] - numbers[1] + 1
        else:
            yield numbers[0], features
        features = numbers[0] if kind == "dense" else channels * size**2
