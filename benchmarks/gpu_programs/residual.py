"""A block of a residual network in training: two convolutions with batch normalisation, and what goes past them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow, normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

EPSILON = 1e-5
PRODUCTS = 6  # two convolutions, each forward and twice backward


class Residual(DeviceProgram):
    """The value and the gradients of images, weights, scales and shifts."""

    name = "residual block"
    title = "two convolutions with batch normalisation and a shortcut, value and gradients"
    tolerance = 2e-3
    rows = (
        DeviceRow("32x128x28x28", (32, 128, 28), (2, 3, 5)),
        DeviceRow("32x128x28x28 TF32", (32, 128, 28), (2, 3, 5), precision="TF32"),
    )

    def inputs(self, row: DeviceRow, random: Random) -> tuple[Any, ...]:  # type: ignore[override]
        batch, channels, size = row.parameters
        weights = [normal(random, channels, channels, 3, 3, scale=(9 * channels) ** -0.5) for _ in range(2)]
        scales = [1 + normal(random, channels, scale=0.1) for _ in range(2)]
        shifts = [normal(random, channels, scale=0.1) for _ in range(2)]
        return normal(random, batch, channels, size, size), weights, scales, shifts

    def autodiff(self, autodiff: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        convolution = autodiff.chainer.functions.convolution_2d
        loss = written_for(np, lambda x, weights: convolution(x, weights, pad=1))
        return autodiff.value_and_grad(loss, (0, 1, 2, 3))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        loss = written_for(jax.numpy, lambda x, weights: jax.lax.conv(x, weights, (1, 1), "SAME"))
        return jax.value_and_grad(loss, (0, 1, 2, 3))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: DeviceRow, inputs: tuple[Any, ...]) -> Function:  # type: ignore[override]
        functional = torch.nn.functional
        x, weights, scales, shifts = inputs
        leaves = [leaf.requires_grad_() for leaf in (x, *weights, *scales, *shifts)]

        def convolved(x: Any, layer: int) -> Any:
            found = functional.conv2d(x, weights[layer], padding=1)
            return functional.batch_norm(found, None, None, scales[layer], shifts[layer], training=True, eps=EPSILON)

        @compiled
        def loss() -> Any:
            return torch.mean(torch.relu(convolved(torch.relu(convolved(x, 0)), 1) + x) ** 2)

        def step() -> Any:
            value = loss()
            found = torch.autograd.grad(value, leaves)
            return value, (found[0], list(found[1:3]), list(found[3:5]), list(found[5:7]))

        return step

    def operations(self, row: DeviceRow) -> int:
        batch, channels, size = row.parameters
        return PRODUCTS * 2 * batch * size**2 * channels**2 * 9


def written_for(np: Any, convolution: Function) -> Function:
    """The mean square of the block's result, over one library's names."""

    def convolved(x: Any, weights: Any, scale: Any, shift: Any) -> Any:
        found = convolution(x, weights)
        centred = found - np.mean(found, axis=(0, 2, 3), keepdims=True)
        spread = np.sqrt(np.mean(centred**2, axis=(0, 2, 3), keepdims=True) + EPSILON)
        return centred / spread * scale[:, None, None] + shift[:, None, None]

    def loss(x: Any, weights: Any, scales: Any, shifts: Any) -> Any:
        inner = np.maximum(convolved(x, weights[0], scales[0], shifts[0]), 0)
        return np.mean(np.maximum(convolved(inner, weights[1], scales[1], shifts[1]) + x, 0) ** 2)

    return loss
