"""A transformer block: matrix products with row-wise and elementwise work between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class Transformer(Program):
    """Value and gradients of attention and a feed-forward layer, both behind a layer normalisation."""

    name = "transformer"
    title = "transformer block, forward and backward, float32"
    tolerance = 5e-4
    rows = (Row("8x128x256, 4 heads", (8, 128, 256, 4), 0.9, "torch.compile", "37 ms", "26-29 ms floor"),)

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        batch, length, width, _ = row.parameters

        def array(*shape: int) -> Any:
            return standard_normal(random, self.dtype, *shape, scale=shape[0] ** -0.5)

        # fmt: off
        parameters = {
            "scale 1": np.ones(width, self.dtype), "shift 1": np.zeros(width, self.dtype),
            "attention": array(width, 3 * width),  "attention bias": array(3 * width),
            "joined": array(width, width),         "joined bias": array(width),
            "scale 2": np.ones(width, self.dtype), "shift 2": np.zeros(width, self.dtype),
            "wide": array(width, 4 * width),       "wide bias": array(4 * width),
            "narrow": array(4 * width, width),     "narrow bias": array(width),
        }
        # fmt: on
        x = standard_normal(random, self.dtype, batch, length, width)
        return parameters, x, standard_normal(random, self.dtype, batch, length, width)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        softmax = autodiff.scipy.special.softmax
        return autodiff.value_and_grad(written_for(np, softmax, gelu(np), row.parameters[-1]), (0, 1))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        loss = written_for(jax.numpy, jax.nn.softmax, jax.nn.gelu, row.parameters[-1])
        return jax.value_and_grad(loss, (0, 1))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        functional = torch.nn.functional
        given, x, target = inputs
        parameters = {name: array.requires_grad_() for name, array in given.items()}
        x.requires_grad_()
        batch, length, width, heads = row.parameters

        def normalised(x: Any, which: str) -> Any:
            return functional.layer_norm(x, (width,), parameters[f"scale {which}"], parameters[f"shift {which}"])

        def dense(x: Any, name: str) -> Any:
            weights = parameters[name]
            return torch.addmm(parameters[f"{name} bias"], x.reshape(-1, weights.shape[0]), weights)

        @compiled
        def loss() -> Any:
            projected = dense(normalised(x, "1"), "attention").view(batch, length, 3, heads, width // heads)
            mixed = functional.scaled_dot_product_attention(*projected.permute(2, 0, 3, 1, 4))
            after = x + dense(mixed.transpose(1, 2), "joined").view_as(x)
            hidden = functional.gelu(dense(normalised(after, "2"), "wide"), approximate="tanh")
            return torch.mean((after + dense(hidden, "narrow").view_as(x) - target) ** 2)

        def step() -> Any:
            value = loss()
            *gradients, to_x = torch.autograd.grad(value, [*parameters.values(), x])
            return value, (dict(zip(parameters, gradients)), to_x)

        return step


def gelu(np: Any) -> Function:
    """The Gaussian error linear unit in its usual approximation."""
    return lambda x: 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def written_for(np: Any, softmax: Function, gelu: Function, heads: int) -> Function:
    """The mean square distance of the block's result from a target, over one library's names."""

    def normalised(x: Any, scale: Any, shift: Any) -> Any:
        centred = x - np.mean(x, axis=-1, keepdims=True)
        return centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * scale + shift

    def attention(parameters: Any, x: Any) -> Any:
        batch, length, width = x.shape
        projected = x @ parameters["attention"] + parameters["attention bias"]
        queries, keys, values = np.transpose(
            projected.reshape(batch, length, 3, heads, width // heads), (2, 0, 3, 1, 4)
        )
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / (width // heads) ** 0.5, axis=-1)
        mixed = np.swapaxes(weights @ values, 1, 2).reshape(batch, length, width)
        return mixed @ parameters["joined"] + parameters["joined bias"]

    def loss(parameters: Any, x: Any, target: Any) -> Any:
        x = x + attention(parameters, normalised(x, parameters["scale 1"], parameters["shift 1"]))
        hidden = normalised(x, parameters["scale 2"], parameters["shift 2"])
        hidden = gelu(hidden @ parameters["wide"] + parameters["wide bias"])
        return np.mean((x + hidden @ parameters["narrow"] + parameters["narrow bias"] - target) ** 2)

    return loss
