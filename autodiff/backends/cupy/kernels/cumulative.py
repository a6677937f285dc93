"""Kernels of running sums, products, extremes and recurrences along an axis.

Sums of floats, products and recurrences are carried in double precision, whatever the elements are: a running sum of a
hundred million numbers of 32 bits is right to the last places. Products carry exponents of their own, so that parts of
a row neither overflow nor vanish where the whole does not. Where NumPy's do on the way, results here are those of exact
arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.sharing import MOST, RESIDENT, THREADS, WARP
from autodiff.backends.cupy.kernels.writing import (
    MOST_BLOCKS,
    Unsupported,
    Writing,
    across_axis,
    element,
    floating,
    share,
    team_of,
)
from autodiff.trace.tape import Tape

EACH = 4
"""Neighbouring elements of a thread, as in the prelude."""

WIDE = 64
"""Registers of a thread: states are up to six words long, and a thread holds several."""

BUSY = RESIDENT * THREADS
"""So many threads keep a device busy."""


@dataclass(frozen=True)
class Scan:
    """What is carried along an axis.

    Attributes:
        op: as the prelude calls it.
        words: of 64 bits that a state takes.
        exclusive: whether an element itself does not count.
    """

    op: str
    words: int = 1
    exclusive: bool = False


def scan_of(name: str, dtype: np.dtype[np.generic]) -> Scan:
    """The scan of an operation whose results are of a dtype."""
    inexact = floating(dtype)
    match name:
        case "cumsum":
            return Scan("Sums<double>" if inexact else "Sums<uint64>")
        case "cumprod" | "products_before":
            exclusive = name == "products_before"
            return Scan("ScaledProducts", 2, exclusive) if inexact else Scan("Products<uint64>", 1, exclusive)
        case "recurrence" if inexact:
            return Scan("Recurrences", 3)
        case "cummax" | "cummin":
            state = (
                ("double" if dtype.itemsize == 8 else "float")
                if inexact
                else "int64"
                if dtype.kind != "u"
                else "uint64"
            )
            return Scan(f"Extremes<{state}, {'Largest' if name == 'cummax' else 'Smallest'}>")
    raise Unsupported(f"no kernel runs along an axis for {name} of {dtype.name}")


class ScanKernel:
    """The kernel of a scan, while it is written."""

    def __init__(self, tape: Tape) -> None:
        self.writing = writing = Writing(tape)
        dtype = writing.out.dtype
        self.scan = scan_of(writing.equation.primitive.name, dtype)
        if any(one.shape != writing.out.shape for one in writing.operands):
            raise Unsupported("operands that are repeated")
        writing.arrays(tuple(element(one.dtype) for one in writing.operands), element(dtype))
        self.outer, self.length, self.inner = across_axis(writing.out.shape, writing.params["axis"])
        self.flags = ", ".join(
            "true" if flag else "false" for flag in (writing.params.get("reverse"), self.scan.exclusive)
        )
        names = ", ".join(writing.names)
        self.source = f"lifted_pair({names})" if len(writing.names) == 2 else f"lifted<{self.scan.op}>({names})"

    def write(self) -> DeviceKernel:
        if self.inner > 1:
            self.lines()
        elif self.length > MOST * EACH and self.outer < RESIDENT // 4:
            self.chunks()
        else:
            self.rows()
        return self.writing.kernel()

    def rows(self) -> None:
        """Short rows, or many of them: a team for each."""
        team = team_of(-(-self.length // EACH))
        blocks = min(max(1, -(-self.outer * team // THREADS)), MOST_BLOCKS)
        given = (
            f"{self.source}, out0, {self.writing.size('rows', self.outer)}, {self.writing.size('length', self.length)}"
        )
        self.writing.launch(f"scan_rows<{self.scan.op}, {team}, {self.flags}>({given});", (blocks, 1), registers=WIDE)

    def parts(self, many: int, whole: int) -> tuple[int, int]:
        """The length of chunks, whole numbers of something, if there should be so many; and how many there are."""
        chunk = -(-self.length // max(many, 1))
        chunk = -(-chunk // whole) * whole
        chunks = -(-self.length // chunk)
        self.writing.partial("states", np.float64, self.outer * chunks * self.inner * self.scan.words, "double")
        return chunk, chunks

    def chunks(self) -> None:
        """Few long rows: blocks share them."""
        writing = self.writing
        chunk, chunks = self.parts(RESIDENT // max(self.outer, 1), THREADS * EACH)
        given = (
            f"{self.source}, out0, states, {writing.size('rows', self.outer)}, {writing.size('length', self.length)}"
        )
        given += f", {writing.size('chunk', chunk)}, {writing.size('chunks', chunks)}"
        blocks = (min(self.outer * chunks, MOST_BLOCKS), 1)
        writing.launch(f"scan_chunks<{self.scan.op}, {self.flags}, false>({given});", blocks, "totals", WIDE)
        self.carry("rows", chunks, "Index(1)")
        writing.launch(f"scan_chunks<{self.scan.op}, {self.flags}, true>({given});", blocks, registers=WIDE)

    def carry(self, outer: str, chunks: int, inner: str) -> None:
        call = f"carry_chunks<{self.scan.op}>(states, {outer}, chunks, {inner});"
        self.writing.launch(call, (min(max(self.outer * self.inner, 1), MOST_BLOCKS), 1), "carries", WIDE)

    def lines(self) -> None:
        """An axis that is not the last one: threads go along it, in chunks where there are few lines."""
        writing, lines = self.writing, self.outer * self.inner
        split = 2 * lines < BUSY and self.length >= 4 * WARP
        chunk, chunks = self.parts(min(BUSY // max(lines, 1), self.length // WARP), 1) if split else (self.length, 1)
        sizes = {"outer": self.outer, "length": self.length, "inner": self.inner, "chunk": chunk, "chunks": chunks}
        given = ", ".join(writing.size(name, value) for name, value in sizes.items())
        given = f"{self.source}, out0, {'states' if chunks > 1 else 'static_cast<double*>(nullptr)'}, {given}"
        blocks = share(lines * chunks, 1)[1]
        if chunks > 1:
            writing.launch(f"scan_lines<{self.scan.op}, {self.flags}, true, false>({given});", blocks, "totals", WIDE)
            self.carry("outer", chunks, "inner")
        first = "false" if chunks > 1 else "true"
        writing.launch(f"scan_lines<{self.scan.op}, {self.flags}, {first}, true>({given});", blocks, registers=WIDE)


@prints("cumsum")
@prints("cumprod")
@prints("products_before")
@prints("recurrence")
@prints("cummax")
@prints("cummin")
def print_scan(*, tape: Tape) -> DeviceKernel:
    """What is carried along an axis."""
    return ScanKernel(tape).write()
