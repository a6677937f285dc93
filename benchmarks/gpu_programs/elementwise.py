"""A chain of elementwise functions and a sum: a GPU moves its bytes, and computes meanwhile."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.elementwise import Elementwise
from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow, doubled, normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random

BLOCK = 1 << 18


class DeviceElementwise(DeviceProgram, Elementwise):
    """One read and one written element for each element of x: a copy moves as many bytes."""

    rows = (  # type: ignore[assignment]
        DeviceRow("1e7", (10_000_000,), (1003,), copied=10_000_000),
        DeviceRow("1e8", (100_000_000,), (2048,), copied=100_000_000),
        DeviceRow("1e4", (10_000,), (100,), replayed=True),
        DeviceRow("1e7 fast_math", (10_000_000,), (1003,), copied=10_000_000, fast_math=True),
        DeviceRow("1e8 fast_math", (100_000_000,), (2048,), copied=100_000_000, fast_math=True),
    )

    def inputs(self, row: DeviceRow, random: Random) -> tuple[Any, ...]:  # type: ignore[override]
        return (normal(random, *row.parameters),)

    def cupy(self, cupy: Any, row: DeviceRow) -> Function:
        def step(x: Any) -> Any:
            tanh, sigmoid, bell = cupy.tanh(1.5 * x + 0.5), 1 / (1 + cupy.exp(-x)), cupy.exp(-(x**2))
            product = tanh * sigmoid
            value = cupy.sum(product + cupy.log1p(bell))
            return value, 1.5 * (sigmoid - tanh * product) + product * (1 - sigmoid) - 2 * x * bell / (1 + bell)

        return step

    def reference(self, autodiff: Any, row: DeviceRow, inputs: tuple[Any, ...]) -> Any:
        """A block at a time: whole arrays in double precision would fill the memory of small machines."""
        function, (x,) = self.autodiff(autodiff, row), inputs  # type: ignore[arg-type]
        gradient = np.empty(x.shape)

        def block(start: int) -> float:
            part = slice(start, start + BLOCK)
            value, gradient[part] = function(doubled(x[part]))
            return float(value)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            values = list(pool.map(block, range(0, x.size, BLOCK)))
        return np.asarray(math.fsum(values)), gradient
