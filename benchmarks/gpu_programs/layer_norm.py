"""Layer normalisation, forward and backward: two sums along each row one way, two the other, and sums over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow, normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

EPSILON = 1e-5


class LayerNorm(DeviceProgram):
    """The normalised rows, and the gradients of input, gain and shift for given gradients of the rows."""

    name = "layer norm"
    title = "layer normalisation, forward and backward, float32"
    rows = (
        DeviceRow("16384x1024", (16_384, 1_024), (9, 40)),
        DeviceRow("4096x768 cold", (4_096, 768), (5, 24), cold=True),
        DeviceRow("16384x1024 bfloat16", (16_384, 1_024), (9, 40), precision="bfloat16"),
    )

    def inputs(self, row: DeviceRow, random: Random) -> tuple[Any, ...]:  # type: ignore[override]
        rows, width = row.parameters
        gain, shift = 1 + normal(random, width, scale=0.1), normal(random, width, scale=0.1)
        return normal(random, rows, width), gain, shift, normal(random, rows, width)

    def autodiff(self, autodiff: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return pulled(written_for(np), autodiff.vjp)

    def jax(self, jax: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return pulled(written_for(jax.numpy), jax.vjp)

    def torch(self, torch: Any, compiled: Function, row: DeviceRow, inputs: tuple[Any, ...]) -> Function:  # type: ignore[override]
        *leaves, cotangent = inputs
        x, gain, shift = (leaf.requires_grad_() for leaf in leaves)
        normalised = compiled(lambda: torch.nn.functional.layer_norm(x, x.shape[1:], gain, shift, EPSILON))

        def step() -> Any:
            result = normalised()
            return result, torch.autograd.grad(result, (x, gain, shift), cotangent)

        return step

    def cupy(self, cupy: Any, row: DeviceRow) -> Function:
        def step(x: Any, gain: Any, shift: Any, cotangent: Any) -> Any:
            centred = x - cupy.mean(x, axis=1, keepdims=True)
            factor = 1 / cupy.sqrt(cupy.mean(centred**2, axis=1, keepdims=True) + EPSILON)
            normalised = centred * factor
            scaled = cotangent * gain
            along = cupy.mean(scaled * normalised, axis=1, keepdims=True)
            gradient = factor * (scaled - cupy.mean(scaled, axis=1, keepdims=True) - normalised * along)
            sums = cupy.sum(cotangent * normalised, axis=0), cupy.sum(cotangent, axis=0)
            return normalised * gain + shift, (gradient, *sums)

        return step


def pulled(function: Function, vjp: Function) -> Function:
    """The result and the gradients, by a library's own `vjp`."""

    def step(x: Any, gain: Any, shift: Any, cotangent: Any) -> Any:
        result, pull = vjp(function, x, gain, shift)
        return result, pull(cotangent)

    return step


def written_for(np: Any) -> Function:
    """The rows, over one library's names."""

    def normalised(x: Any, gain: Any, shift: Any) -> Any:
        centred = x - np.mean(x, axis=1, keepdims=True)
        return centred / np.sqrt(np.mean(centred**2, axis=1, keepdims=True) + EPSILON) * gain + shift

    return normalised
