"""Kernels of a grid: what becomes of operations that lie on one grid of rows and columns.

What is computed when is found as for other machines (:mod:`autodiff.backends.kernels.rows.schedule`): in every row
there are as many loops over its columns as reductions ask for. Here a team of neighbouring threads takes a row
together, and keeps in registers what later loops need again; without rows every thread takes elements of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from autodiff.backends.cupy.kernels.epilogues import Epilogue
from autodiff.backends.cupy.kernels.expressions import typename
from autodiff.backends.cupy.kernels.kernel import DeviceFunction, DeviceKernel, Launch, Parameter
from autodiff.backends.cupy.kernels.loops import ElementLoop
from autodiff.backends.cupy.kernels.row_loops import RowLoop
from autodiff.backends.cupy.kernels.sharing import CREWS, MOST, SMALL, THREADS
from autodiff.backends.cupy.kernels.totals import COLUMNS_OF_BLOCK, column_function, row_function
from autodiff.backends.kernels.forms import COLUMN_TOTAL, FULL, ROW, TOTAL, Shape
from autodiff.backends.kernels.halves import is_half
from autodiff.trace.tape import Tape

AT_ONCE = {128: 8, 512: 2}
"""So many blocks of so many threads share a multiprocessor, where numbers have 16 bits."""

NAME = "kernel"
"""What functions are called in a text; those who put texts together number them."""


class GridKernel:
    """The kernel of a tape on a grid.

    Args:
        tape: its inputs come from outside, its outputs are wanted there.
        shape: of a grid on which all its operations fit, but for the epilogue.
        epilogue_count: so many of its operations, the last ones, wait for totals.
        in_place: pairs of an output and an input that lie in the same memory.

    Attributes:
        kernel: what is compiled and launched.
    """

    def __init__(
        self, tape: Tape, shape: Shape, epilogue_count: int = 0, in_place: Sequence[tuple[int, int]] = ()
    ) -> None:
        epilogue = Epilogue(tape, epilogue_count)
        self.loop = loop_of(epilogue.main, shape)
        self.loop.epilogue = epilogue
        self.shared = {("output", out) for out, _ in in_place} | {("input", given) for _, given in in_place}
        self.tape, self.grid, self.sharing = tape, self.loop.grid, self.loop.sharing
        self.index = np.dtype(np.int32 if max(self.places()) < SMALL else np.int64)
        self.totals = [slot for slot in self.loop.outputs if self.loop.forms[slot] == TOTAL]
        self.columns = [slot for slot in self.loop.outputs if self.loop.forms[slot] == COLUMN_TOTAL]
        self.cut = [slot for slot in self.loop.outputs if self.loop.forms[slot] == ROW and self.loop.cut]
        body = list(self.loop.lines())
        self.parameters = tuple(self.found_parameters())
        functions = [self.function(NAME, body)]
        blocks, tiles = self.sharing.blocks, self.sharing.tiles
        grid = (tiles, blocks) if tiles > 1 else (blocks, 1)
        launches = [Launch(NAME, grid, self.sharing.threads, self.loop.stage)]
        if self.columns and self.sharing.blocks > 1:
            functions.append(self.function(f"{NAME}_columns", column_function(self.loop, self.columns), THREADS))
            launches.append(Launch(f"{NAME}_columns", (-(-self.grid.columns // COLUMNS_OF_BLOCK), 1), THREADS))
        if self.cut:
            functions.append(self.function(f"{NAME}_rows", row_function(self.loop, self.cut), THREADS))
            launches.append(Launch(f"{NAME}_rows", (-(-self.grid.rows // THREADS), 1), THREADS))
        self.kernel = DeviceKernel(tuple(functions), self.parameters, tuple(launches), tuple(tape.output_specs))

    def places(self) -> Iterator[int]:
        """The numbers of elements of all arrays, which the places of elements stay below."""
        yield self.grid.rows * self.grid.columns
        yield from (spec.size for spec in self.tape.inputs)
        yield self.sharing.blocks * self.grid.columns

    def function(self, name: str, body: Iterable[str], threads: int = 0) -> DeviceFunction:
        """One function of the kernel."""
        # To have more blocks at once the compiler would leave registers in memory around divisions of double, where
        # packs of 16-bit numbers are computed as float, and where the largest blocks hold a row.
        doubles = any(self.loop.specs[slot].dtype == np.float64 for slot in self.loop.made)
        halves = any(is_half(own.dtype) for own in self.tape.inputs)
        threads = threads or self.sharing.threads
        least = ", 1" if doubles or halves or threads == MOST else ""
        if not doubles and (self.loop.staged or (halves and threads in AT_ONCE)):
            least = f", {CREWS if self.loop.staged else AT_ONCE[threads]}"
        named = [f"{a.name} = {a.name}_64" for a in self.loop.arguments]
        places = [f"typedef {typename(self.index)} Index;", f"const Index {', '.join(named)};"]
        parameters = tuple(f"{self.type_of(p)} {p.name}" for p in self.parameters)
        return DeviceFunction(name, f"{threads}{least}", parameters, (*places, *body))

    def type_of(self, parameter: Parameter) -> str:
        if parameter.role == "size":
            return "const int64"
        assert parameter.dtype is not None
        kind = typename(parameter.dtype)
        if parameter.role in ("number", "constant"):
            return f"const {kind}"
        alone = "" if (parameter.role, parameter.slot) in self.shared else " __restrict__"
        return f"const {kind}*{alone}" if parameter.role == "input" else f"{kind}*{alone}"

    def found_parameters(self) -> Iterator[Parameter]:
        loop = self.loop
        for slot, spec in enumerate(self.tape.inputs):
            if spec.kind == "array":
                lone = loop.is_number(slot) or slot not in loop.forms
                yield Parameter(f"at{slot}" if lone else f"in{slot}", "input", slot, spec.dtype)
            else:
                yield Parameter(f"in{slot}", "number", slot, spec.dtype)
        for place, out in enumerate(self.tape.outputs):
            assert isinstance(out, int)
            yield Parameter(f"out{out}", "output", place, self.tape.specs[out].dtype)
        for slot in (*self.totals, *self.columns, *self.cut):
            many = self.sharing.blocks * (self.grid.columns if slot in self.columns else self.sharing.tiles)
            yield Parameter(f"part{slot}", "partial", slot, loop.kept_dtype(slot), many)
        if self.totals:
            yield Parameter("counter", "counter", dtype=np.dtype(np.uint32), value=1)
        if loop.checks:
            yield Parameter("status", "status", dtype=np.dtype(np.int32))
        for argument in loop.arguments:
            yield Parameter(f"{argument.name}_64", "size", value=argument.value)
        for name, dtype, value in loop.constants.found.values():
            yield Parameter(name, "constant", dtype=dtype, value=value)


def loop_of(tape: Tape, shape: Shape) -> ElementLoop | RowLoop:
    """The loop that a grid asks for."""
    rows = RowLoop(tape, shape)
    return ElementLoop(tape, shape) if rows.grid.flat else rows


def element_by_element(tape: Tape, shape: Shape, result: int, read: int, epilogue: int = 0) -> bool:
    """Whether a kernel reads each element of an input in the thread that writes the one of an output, and before it.

    Args:
        tape: of the kernel.
        shape: of its grid.
        result: the output.
        read: the input.
        epilogue: so many of its operations, the last ones, wait for totals.
    """
    loop, out = loop_of(Epilogue(tape, epilogue).main, shape), tape.outputs[result]
    if not isinstance(loop, ElementLoop) or tape.inputs[read] != tape.output_specs[result]:
        return False
    if any(view.base == read for view in loop.grid.views.values()) or loop.is_number(read):
        return False
    return loop.forms.get(read) == FULL and isinstance(out, int) and loop.forms.get(out) == FULL


@lru_cache(maxsize=4096)
def grid_kernel(
    tape: Tape, shape: Shape, epilogue: int = 0, in_place: tuple[tuple[int, int], ...] = ()
) -> DeviceKernel:
    """The kernel of a tape on a grid.

    Args:
        tape: its inputs come from outside, its outputs are wanted there; each output is one slot.
        shape: of a grid on which all its operations fit, but for the epilogue.
        epilogue: so many of its operations, the last ones, wait for totals.
        in_place: pairs of an output and an input that lie in the same memory.
    """
    return GridKernel(tape, shape, epilogue, in_place).kernel
