"""Convolutions as texts of kernels: for some rows of a result at a time, windows become columns, which are multiplied.

The columns of some rows stay in a processor's cache, and so does the padded image that they are taken from; each part
of the images has memory of its own for both. Column ``p`` holds what lies under the kernel at pixel ``p`` of the
result, and its terms have the order of kernels in memory: channels, then kernel positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.llvm.products.product import cut
from autodiff.ops.images.geometry import Geometry
from autodiff.trace.memory.aligned import ALIGNMENT

Pair = tuple[int, int]

PIXELS, WIDEST = 128, 256
"""About so many pixels of the result are computed at once; rows of more than ``WIDEST`` are cut."""

PARTS = 8
"""Images are handed to threads in so many parts, whatever the number of threads: so results repeat."""

ARRAYS = 5
"""Words of a block before the lengths of loops."""

INNER = " " * 4


@dataclass(frozen=True)
class Layout:
    """Sizes of a convolution in two dimensions; channels and outputs are those of one group.

    Attributes:
        padding: zeros before and after, of each axis.
        counts: spatial lengths of the result.
    """

    dtype: str
    images: int
    groups: int
    channels: int
    outputs: int
    lengths: Pair
    kernel: Pair
    counts: Pair
    stride: Pair
    padding: tuple[Pair, Pair]
    dilation: Pair

    @property
    def padded(self) -> Pair:
        """Spatial lengths of the images with their padding."""
        (top, bottom), (left, right) = self.padding
        return top + self.lengths[0] + bottom, left + self.lengths[1] + right

    @property
    def pads(self) -> bool:
        return self.padded != self.lengths

    @property
    def bare(self) -> bool:
        """Whether images are columns as they lie."""
        return self.kernel == (1, 1) and self.counts == self.lengths == self.padded and self.stride == (1, 1)

    @property
    def terms(self) -> int:
        """The products of which an element of the result is a sum."""
        return self.channels * prod(self.kernel)

    @property
    def size(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def chunk(self) -> int:
        """The images of a part."""
        return -(-self.images // PARTS)

    @property
    def parts(self) -> int:
        return -(-self.images // self.chunk)

    @property
    def work(self) -> int:
        """Multiplications."""
        return self.images * self.groups * self.outputs * self.terms * prod(self.counts)

    def tiles(self) -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
        """Runs of equal blocks of the result: (start, size, count) of their rows, and of their columns."""
        height, width = self.counts
        across = [(0, width, 1)] if width <= WIDEST else list(cut(width, PIXELS, PIXELS // 2))
        rows = max(1, PIXELS // width)
        for down in cut(height, rows, -(-rows // 2)):
            for along in across:
                yield down, along

    @property
    def image_bytes(self) -> int:
        """Of the padded image of one part."""
        return aligned(self.groups * self.channels * prod(self.padded) * self.size) if self.pads else 0

    @property
    def column_bytes(self) -> int:
        """Of the columns of one part."""
        most = max(down[1] * along[1] for down, along in self.tiles())
        return aligned(self.terms * most * self.size)


def aligned(count: int) -> int:
    """So many bytes in whole lines of cache, and one line more, so that parts begin in different ones."""
    return -(-count // ALIGNMENT) * ALIGNMENT + ALIGNMENT


def layout_of(x: tuple[int, ...], w: tuple[int, ...], geometry: Geometry, dtype: np.dtype[Any]) -> Layout:
    """The sizes of the convolution of images and kernels of some shapes, in one or two dimensions."""
    images, channels, *lengths = x
    counts = geometry.counts(tuple(lengths), w[2:])
    flat = geometry.rank == 1

    def pair(numbers: tuple[int, ...] | list[int], missing: int = 1) -> Pair:
        first, second = (missing, *numbers) if flat else numbers
        return first, second

    first, second = ((0, 0), *geometry.padding) if flat else geometry.padding
    return Layout(
        dtype.name,
        images,
        geometry.groups,
        channels // geometry.groups,
        w[0] // geometry.groups,
        pair(lengths),
        pair(w[2:]),
        pair(counts),
        pair(geometry.stride),
        (first, second),
        pair(geometry.dilation),
    )


def backwards(layout: Layout) -> Layout | None:
    """The convolution of results with turned kernels that is the transpose of another one; None where there is none."""
    if layout.stride != (1, 1):
        return None
    reach = [d * (k - 1) for d, k in zip(layout.dilation, layout.kernel, strict=True)]
    widths = [(own - low, own - high) for own, (low, high) in zip(reach, layout.padding, strict=True)]
    if min(map(min, widths)) < 0:
        return None
    return Layout(
        layout.dtype,
        layout.images,
        layout.groups,
        layout.outputs,
        layout.channels,
        layout.counts,
        layout.kernel,
        layout.lengths,
        layout.stride,
        (widths[0], widths[1]),
        layout.dilation,
    )


class Text:
    """The lines of a kernel over images.

    Its block holds three arrays, images first, the memory for padded images, that for columns, and lengths of loops.

    Args:
        layout: of the convolution.

    Attributes:
        words: the block.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.lines: list[str] = []
        self.words = [0] * ARRAYS
        self.depth = 1

    def line(self, text: str) -> None:
        self.lines.append(INNER * self.depth + text)

    def loop(self, name: str, count: int) -> None:
        """What follows is the body of a loop; LLVM must not know its length, or it would write out nests of them."""
        if count != 1 and count not in self.words[ARRAYS:]:
            self.words.append(count)
        self.range(name, f"size{count}" if count != 1 else "1")

    def range(self, name: str, count: int | str) -> None:
        """What follows is the body of a loop whose length is known, or that of images."""
        self.line(f"for {name} in range({count}):")
        self.depth += 1

    def close(self, loops: int) -> None:
        self.depth -= loops

    def __str__(self) -> str:
        sizes = [f"    size{count} = word(block, {k})" for k, count in enumerate(self.words) if k >= ARRAYS]
        return "\n".join(["def kernel(block, lo, hi):", *sizes, *self.lines]) + "\n"

    def load(self, name: str, index: str) -> str:
        return f"load_{self.layout.dtype}({name}, {index})"

    def store(self, name: str, index: str, value: str) -> None:
        self.line(f"store_{self.layout.dtype}({name}, {index}, {value})")

    def zeros(self, name: str, count: int) -> None:
        """So many zeros."""
        self.loop("i", count)
        self.store(name, "i", f"f{self.layout.size}(0.0)")
        self.close(1)

    def own(self, name: str, word: int, size: int) -> None:
        """Memory of which every part has so many bytes."""
        self.line(f"{name} = shifted(pointer(block, {word}), lo // {self.layout.chunk} * {size})")

    def at(self, name: str, index: str) -> str:
        """The address of an element."""
        return f"shifted({name}, ({index}) * {self.layout.size})"

    def pad(self) -> None:
        """Copy image ``r`` between the zeros of ``image``."""
        (height, width), (rows, columns) = self.layout.lengths, self.layout.padded
        (top, _), (left, _) = self.layout.padding
        channels = self.layout.groups * self.layout.channels
        self.loop("c", channels)
        self.loop("y", height)
        self.line(f"start = ((r * {channels} + c) * {height} + y) * {width}")
        self.line(f"place = (c * {rows} + y + {top}) * {columns} + {left}")
        self.range("x", width)
        self.store("image", "place + x", self.load("images", "start + x"))
        self.close(3)

    def crop(self) -> None:
        """Copy image ``r`` out of ``image``."""
        (height, width), (rows, columns) = self.layout.lengths, self.layout.padded
        (top, _), (left, _) = self.layout.padding
        channels = self.layout.groups * self.layout.channels
        self.loop("c", channels)
        self.loop("y", height)
        self.line(f"start = ((r * {channels} + c) * {height} + y) * {width}")
        self.line(f"place = (c * {rows} + y + {top}) * {columns} + {left}")
        self.range("x", width)
        self.store("images", "start + x", self.load("image", "place + x"))
        self.close(3)

    def windows(self, rows: int, width: int, add: bool = False) -> None:
        """Copy windows to columns, for pixels from row ``top`` and column ``left`` on; or add columns to windows."""
        layout = self.layout
        (high, wide), (down, along), (far, apart) = layout.kernel, layout.stride, layout.dilation
        height, length = layout.padded
        self.loop("c", layout.channels)
        self.loop("i", high)
        self.loop("j", wide)
        self.loop("y", rows)
        self.line(
            f"start = ((q * {layout.channels} + c) * {height} + (top + y) * {down} + i * {far}) * {length}"
            f" + left * {along} + j * {apart}"
        )
        self.line(f"place = (((c * {high} + i) * {wide} + j) * {rows} + y) * {width}")
        self.range("x", width)
        source = "start + x" if along == 1 else f"start + x * {along}"
        if add:
            self.store("image", source, f"{self.load('image', source)} + {self.load('columns', 'place + x')}")
        else:
            self.store("columns", "place + x", self.load("image", source))
        self.close(5)

    def tiles(self) -> Iterator[Pair]:
        """The loops over the groups and blocks of an image: rows and columns of a block, whose lines come next."""
        self.loop("q", self.layout.groups)
        for (top, rows, down), (left, width, across) in self.layout.tiles():
            self.loop("m", down)
            self.loop("n", across)
            self.line(f"top, left = {top} + m * {rows}, {left} + n * {width}")
            yield rows, width
            self.close(2)
        self.close(1)

    def pixel(self, channels: int) -> str:
        """The index of the first pixel of a block in the first of so many channels of group ``q`` of image ``r``."""
        height, width = self.layout.counts
        return f"(r * {self.layout.groups} + q) * {channels * height * width} + top * {width} + left"

    def product(self, *arguments: object) -> None:
        self.line(f"multiply_matrices_{self.layout.dtype}({', '.join(map(str, arguments))})")

    def head(self, second: str, third: str) -> None:
        """The names of the arrays."""
        self.line("images = pointer(block, 0)")
        self.line(f"{second} = pointer(block, 1)")
        if third != "sums":
            self.line(f"{third} = pointer(block, 2)")
        if self.layout.pads:
            self.own("image", 3, self.layout.image_bytes)
        if not self.layout.bare:
            self.own("columns", 4, self.layout.column_bytes)

    def start(self) -> None:
        """Image ``r`` with its padding, whose zeros are written once."""
        if self.layout.pads:
            self.zeros("image", self.layout.image_bytes // self.layout.size)
        self.range("r", "lo, hi")
        if self.layout.pads:
            self.pad()
        elif not self.layout.bare:
            self.view()

    def view(self) -> None:
        """Image ``r`` where it lies."""
        layout = self.layout
        self.line(f"image = {self.at('images', f'r * {layout.groups * layout.channels * prod(layout.lengths)}')}")

    def columns(self, rows: int, width: int) -> tuple[str, int]:
        """The columns of a block: their address, and from a term to the next."""
        if self.layout.bare:
            return self.at("images", self.pixel(self.layout.channels)), prod(self.layout.counts)
        self.windows(rows, width)
        return "columns", rows * width


def forward_text(layout: Layout) -> Text:
    """The kernel of a convolution: of images and kernels."""
    text, terms, outputs, area = Text(layout), layout.terms, layout.outputs, prod(layout.counts)
    text.head("kernels", "result")
    text.start()
    for rows, width in text.tiles():
        columns, step = text.columns(rows, width)
        kernels, place = text.at("kernels", f"q * {outputs * terms}"), text.at("result", text.pixel(outputs))
        text.product(kernels, terms, 1, columns, step, 1, place, area, outputs, rows * width, terms, 0)
    return text


def to_kernel_text(layout: Layout) -> Text:
    """The kernel of a gradient by kernels: of images and results; every part has sums (groups, terms, outputs)."""
    text, terms, outputs, area = Text(layout), layout.terms, layout.outputs, prod(layout.counts)
    text.head("results", "sums")
    count = layout.groups * terms * outputs
    text.own("sums", 2, count * layout.size)
    text.zeros("sums", count)
    text.start()
    for rows, width in text.tiles():
        columns, step = text.columns(rows, width)
        results, sums = text.at("results", text.pixel(outputs)), text.at("sums", f"q * {terms * outputs}")
        text.product(columns, step, 1, results, 1, area, sums, outputs, terms, outputs, rows * width, 1)
    return text


def to_input_text(layout: Layout) -> Text:
    """The kernel of a gradient by images, for any stride: of the images that it fills, kernels and results."""
    text, terms, outputs, area = Text(layout), layout.terms, layout.outputs, prod(layout.counts)
    text.head("kernels", "results")
    text.range("r", "lo, hi")
    if not layout.pads:
        text.view()
    text.zeros("image", layout.groups * layout.channels * prod(layout.padded))
    for rows, width in text.tiles():
        kernels, results = text.at("kernels", f"q * {outputs * terms}"), text.at("results", text.pixel(outputs))
        size = rows * width
        text.product(kernels, 1, terms, results, area, 1, "columns", size, terms, size, outputs, 0)
        text.windows(rows, width, add=True)
    if layout.pads:
        text.crop()
    return text
