"""autodiff itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import autodiff
import autodiff.chainer.functions
import autodiff.scipy.special
from benchmarks.gpu_contest.peers.cupy import ArraysOfCupy

if TYPE_CHECKING:
    from benchmarks.gpu_contest.work import DeviceWork
    from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow


class Autodiff(ArraysOfCupy):
    """`autodiff.jit(function)` on arrays of CuPy."""

    name = "autodiff"
    distribution = "autodiff"

    def work(self, program: DeviceProgram, row: DeviceRow, inputs: tuple[Any, ...]) -> DeviceWork:
        function = program.autodiff(autodiff, row)  # type: ignore[arg-type]
        return self.made(autodiff.jit(function, donate_argnums=row.donated, fast_math=row.fast_math), row, inputs)

    def set_precision(self, row: DeviceRow) -> None:
        autodiff.set_matmul_precision("high" if row.precision == "TF32" else "highest")

    def explained(self, work: DeviceWork) -> str | None:
        """What became kernels and what did not, and whether the program is replayed."""
        return str(work.call.explain(*work.arguments))  # type: ignore[attr-defined] # it is a function of jit
