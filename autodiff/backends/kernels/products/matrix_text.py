"""Products of large matrices as texts of kernels.

The result is cut into parts. For each, and for many terms of the sums at a time, a block of A is copied to panels; then
panel after panel of B, with some of the terms, is copied and multiplied by them all. Every sum is made in the order of
its terms, whatever the parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from autodiff.trace.memory.aligned import ALIGNMENT

TERMS, DEPTH = 256, 1024
"""So many terms of a panel of B at a time, which fits a cache of the first level, and so many of a block of A."""

BLOCK = 1 << 22
"""Bytes of a block of A. It is read once for each panel of B, whose part of the result stays in a cache meanwhile."""

WIDTHS = {"float32": (48, 32, 16), "float64": (24, 16, 8)}
"""Columns of a tile of the result: three, two or one of the largest vectors, or whole numbers of smaller ones."""

TALLEST, HEIGHTS = 8, (8, 5)
"""Rows of a panel of A, and of a tile of the result: as many of a panel as make the work least."""

PART = 1 << 22
"""Multiplications of a part, at least: there is one for each thread, or fewer."""

COPY = 16
"""Multiplications that take as long as the copy of an element to a panel."""


@dataclass(frozen=True)
class Layout:
    """Sizes of a product, and how it is cut.

    Attributes:
        dtype: of all three matrices.
        m: rows of A and of the result.
        n: columns of B and of the result.
        k: terms of the sums.
        a_turned: whether the rows of A, not its columns, lie side by side.
        b_turned: whether the rows of B, not its columns, lie side by side.
        threads: for how many it is cut; a result does not depend on it.
    """

    dtype: str
    m: int
    n: int
    k: int
    a_turned: bool
    b_turned: bool
    threads: int

    @property
    def size(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def width(self) -> int:
        """Columns of a tile: the more, the fewer loads there are for each multiplication."""
        return min(WIDTHS[self.dtype], key=lambda width: -(-self.n // width) * (width * self.size + 64))

    @property
    def height(self) -> int:
        """Rows of a tile."""
        return min(HEIGHTS, key=lambda height: -(-self.m // height) * (height + 1))

    @property
    def depth(self) -> int:
        """Terms of a block of A, nearly the same number each time."""
        return -(-self.k // -(-self.k // DEPTH))

    @property
    def terms(self) -> int:
        """Terms of a panel of B, nearly the same number each time."""
        return -(-self.depth // -(-self.depth // TERMS))

    @property
    def tiles(self) -> tuple[int, int]:
        """Tiles of the result from top to bottom, and from left to right."""
        return -(-self.m // self.height), -(-self.n // self.width)

    @property
    def part(self) -> tuple[int, int]:
        """Rows and columns of a part, the last ones excepted."""
        down, across = self.tiles
        wanted = max(1, min(self.threads, self.m * self.n * self.k // PART))

        def columns(rows: int) -> int:
            return min(max(1, wanted // rows), across)

        def cost(rows: int) -> int:
            high, wide = -(-down // rows) * self.height, -(-across // columns(rows)) * self.width
            return (high * wide + COPY * (high + wide)) * -(-rows * columns(rows) // wanted)

        most = max(1, BLOCK // (self.depth * TALLEST * self.size))
        rows = max(min(range(1, min(wanted, down) + 1), key=cost), -(-down // most))
        return -(-down // rows) * self.height, -(-across // columns(rows)) * self.width

    @property
    def parts(self) -> tuple[int, int]:
        """Parts of the result from top to bottom, and from left to right."""
        rows, columns = self.part
        return -(-self.m // rows), -(-self.n // columns)

    @property
    def chunk(self) -> int:
        """The parts that share memory: one computes them one after another."""
        return -(-prod(self.parts) // (8 * self.threads))

    @property
    def chunks(self) -> int:
        return -(-prod(self.parts) // self.chunk)

    @property
    def panel_bytes(self) -> int:
        """Where a panel of B begins, behind a block of A."""
        panels = self.part[0] // self.height
        return aligned(panels * TALLEST * self.depth * self.size)

    @property
    def tile_bytes(self) -> int:
        """Where a tile begins, behind a panel of B."""
        return self.panel_bytes + aligned(self.width * self.terms * self.size)

    @property
    def room(self) -> int:
        """Bytes of a chunk."""
        return self.tile_bytes + aligned(self.height * self.width * self.size) + ALIGNMENT


def aligned(count: int) -> int:
    """So many bytes in whole lines of cache."""
    return -(-count // ALIGNMENT) * ALIGNMENT


TEXT = """
def kernel(block, lo, hi):
    a = shifted(pointer(block, 0), word(block, 4))
    b = shifted(pointer(block, 1), word(block, 5))
    c = pointer(block, 2)
    a_step = word(block, 6)
    b_step = word(block, 7)
    a_turned = word(block, 8)
    b_turned = word(block, 9)
    m = word(block, 10)
    n = word(block, 11)
    k = word(block, 12)
    rows = word(block, 13)
    columns = word(block, 14)
    across = word(block, 15)
    depth = word(block, 16)
    terms = word(block, 17)
    a_block = shifted(pointer(block, 3), lo // word(block, 18) * word(block, 19))
    b_panel = shifted(a_block, word(block, 20))
    tile = shifted(a_block, word(block, 21))
    for part in range(lo, hi):
        top = part // across * rows
        bottom = min(top + rows, m)
        left = part % across * columns
        right = min(left + columns, n)
        for deep in range((k + depth - 1) // depth):
            first = deep * depth
            reach = min(depth, k - first)
            for row in range(top, bottom, {height}):
                a_panel = shifted(a_block, (row - top) // {height} * reach * {panel})
                if a_turned != 0:
                    term_step = a_step
                    row_step = 1
                else:
                    term_step = 1
                    row_step = a_step
                a_rows = shifted(a, (first * term_step + row * row_step) * {size})
                if m - row < {tallest}:
                    for i in range(reach):
                        for j in range({tallest}):
                            place = i * term_step + j * row_step
                            value = load_{dtype}(a_rows, place) if j < bottom - row else {zero}
                            store_{dtype}(a_panel, i * {tallest} + j, value)
                elif a_turned != 0:
                    gather_panel_{dtype}(a_panel, a_rows, a_step, reach, {tallest})
                else:
                    turn_panel_{dtype}(a_panel, a_rows, a_step, reach, {tallest})
            for column in range(left, right, {width}):
                for turn in range((reach + terms - 1) // terms):
                    start = turn * terms
                    count = min(terms, reach - start)
                    if b_turned != 0:
                        term_step = 1
                        column_step = b_step
                    else:
                        term_step = b_step
                        column_step = 1
                    b_columns = shifted(b, ((first + start) * term_step + column * column_step) * {size})
                    if right - column < {width}:
                        for i in range(count):
                            for j in range({width}):
                                place = i * term_step + j * column_step
                                value = load_{dtype}(b_columns, place) if j < right - column else {zero}
                                store_{dtype}(b_panel, i * {width} + j, value)
                    elif b_turned != 0:
                        turn_panel_{dtype}(b_panel, b_columns, b_step, count, {width})
                    else:
                        gather_panel_{dtype}(b_panel, b_columns, b_step, count, {width})
                    for row in range(top, bottom, {height}):
                        a_panel = shifted(a_block, ((row - top) // {height} * reach + start) * {panel})
                        c_tile = shifted(c, (row * n + column) * {size})
                        if bottom - row >= {height} and right - column >= {width}:
                            if first + start == 0:
                                multiply_panels_{dtype}(c_tile, a_panel, b_panel, n, {steps}, count, {literals}, 0)
                            else:
                                multiply_panels_{dtype}(c_tile, a_panel, b_panel, n, {steps}, count, {literals}, 1)
                        else:
                            multiply_panels_{dtype}(tile, a_panel, b_panel, {width}, {steps}, count, {literals}, 0)
                            for i in range(min(bottom - row, {height})):
                                for j in range(min(right - column, {width})):
                                    value = load_{dtype}(tile, i * {width} + j)
                                    if first + start != 0:
                                        value += load_{dtype}(c_tile, i * n + j)
                                    store_{dtype}(c_tile, i * n + j, value)
"""
"""Addresses of the matrices and of memory to work in; then what `Large.words` says."""


def matrix_text(layout: Layout) -> str:
    """The kernel, over the parts of the result. It is the same for all sizes whose tiles are the same."""
    return TEXT.lstrip().format(
        dtype=layout.dtype,
        size=layout.size,
        height=layout.height,
        width=layout.width,
        steps=f"{TALLEST}, {layout.width}",
        literals=f"{layout.height}, {layout.width}",
        tallest=TALLEST,
        panel=TALLEST * layout.size,
        zero="f4(0)" if layout.dtype == "float32" else "f8(0)",
    )
