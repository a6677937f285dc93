"""Sums of very many short columns: more of them than a grid has blocks along its second axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow, normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class Columns(DeviceProgram):
    """The sum of each column."""

    name = "columns"
    title = "sums over axis 0, float32"
    rows = (DeviceRow("8x10000000", (8, 10_000_000), (8, 1000), copied=45_000_000),)

    def inputs(self, row: DeviceRow, random: Random) -> tuple[Any, ...]:  # type: ignore[override]
        return (normal(random, *row.parameters),)

    def autodiff(self, autodiff: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return lambda x: np.sum(x, axis=0)

    def jax(self, jax: Any, row: DeviceRow) -> Function:  # type: ignore[override]
        return lambda x: jax.numpy.sum(x, axis=0)

    def torch(self, torch: Any, compiled: Function, row: DeviceRow, inputs: tuple[Any, ...]) -> Function:  # type: ignore[override]
        (x,) = inputs
        return compiled(lambda: torch.sum(x, dim=0))  # type: ignore[no-any-return]

    def cupy(self, cupy: Any, row: DeviceRow) -> Function:
        return lambda x: cupy.sum(x, axis=0)
