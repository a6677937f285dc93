"""Windows that slide over images: their sizes, and the lines that texts of their kernels share.

An image is what the last axes of an array hold; threads share the images.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from autodiff.backends.kernels.scalars import literal
from autodiff.ops.images.counting import Lengths, window_counts
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape

INNER = " " * 4


@dataclass(frozen=True)
class Layout:
    """What a kernel does to windows, and their sizes.

    Attributes:
        kind: the name of the primitive that makes the first result.
        spec: of an array of numbers, which has the dtype of them all.
        lengths: of an image.
        shape: of the windows.
        stride: from a window to the next.
        images: how many there are.
        places: whether maxima come with their positions.
        masked: whether pixels that a mask does not select are zero.
    """

    kind: str
    spec: Spec
    lengths: Lengths
    shape: Lengths
    stride: Lengths
    images: int
    places: bool
    masked: bool

    @property
    def counts(self) -> Lengths:
        """How many windows there are along each axis."""
        return window_counts(self.lengths, self.shape, self.stride, (1,) * len(self.shape))

    @property
    def back(self) -> bool:
        """Whether it goes from windows to images."""
        return self.kind in ("lay_in_windows", "spread_windows")

    @property
    def checks(self) -> bool:
        """Whether positions are given, which may be out of range."""
        return self.kind in ("lay_in_windows", "pick_from_windows")

    @property
    def overlaps(self) -> bool:
        """Whether windows share elements."""
        return any(width > step for width, step in zip(self.shape, self.stride, strict=True))


def layout_of(tape: Tape) -> Layout:
    """The layout of a tape: an operation on windows, and what may come with it."""
    first, *others = tape.equations
    params, given = dict(first.params), tape.inputs[0]
    rank = len(params["shape"])
    kind = first.primitive.name
    return Layout(
        kind,
        given,
        params.get("lengths", given.shape[-rank:]),
        params["shape"],
        params["stride"],
        prod(given.shape[:-rank]),
        any(each.primitive.name == "first_positions" for each in others),
        any(each.primitive.name == "where" for each in others),
    )


class Text:
    """Lines of a kernel over images."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.dtype, self.size = layout.spec.dtype, layout.spec.dtype.itemsize
        self.zero = literal(0, self.dtype)
        self.lines: list[str] = []
        self.depth = 1

    def write(self, arrays: Sequence[Spec]) -> str:
        """The whole text."""
        layout = self.layout
        names = self.names()
        self.lines = ["def kernel(block, lo, hi):"]
        for word, (name, spec) in enumerate(zip(names, arrays, strict=True)):
            self.line(f"{name} = pointer(block, {word})  # {spec}")
        if layout.checks:
            self.line(f"status = pointer(block, {len(names)})")
            self.line("wrong = False")
        self.loop("r", "lo, hi")
        for name, spec in zip(names, arrays, strict=True):
            self.line(f"{name}_r = shifted({name}, r * {spec.size // layout.images * spec.dtype.itemsize})")
        if layout.checks:
            self.loop("j", str(prod(layout.counts)))
            self.line(f"wrong = wrong | (load_uint8(places_r, j) >= {prod(layout.shape)})")
            self.depth -= 1
        self.image()
        self.depth = 1
        if layout.checks:
            self.line("if wrong:")
            self.line("    store_int64(status, 0, i8(1))")
        return "\n".join(self.lines) + "\n"

    def names(self) -> tuple[str, ...]:
        """Of the arrays, in the order of the words."""
        raise NotImplementedError

    def image(self) -> None:
        """What is done to an image."""
        raise NotImplementedError

    def line(self, text: str) -> None:
        self.lines.append(INNER * self.depth + text)

    def loop(self, name: str, over: str) -> None:
        """What follows is the body of a loop."""
        self.line(f"for {name} in range({over}):")
        self.depth += 1

    def windows(self, backwards: bool = False) -> None:
        """The loops over the windows along all axes but the last; `a` is the first of a row, `i` its first pixel."""
        layout = self.layout
        outer = layout.counts[:-1]
        steps, pixels = places_of(layout.counts), places_of(layout.lengths)
        for axis, count in enumerate(outer):
            name = f"t{axis}" if backwards else f"w{axis}"
            self.loop(name, str(count))
            if backwards:
                self.line(f"w{axis} = {count - 1} - t{axis}")
        axes = range(len(outer))
        self.line(f"a = {total(f'w{axis} * {steps[axis]}' for axis in axes)}")
        self.line(f"i = {total(f'w{axis} * {layout.stride[axis] * pixels[axis]}' for axis in axes)}")

    def load(self, name: str, index: str) -> str:
        return f"load_{self.dtype}({name}, {index})"

    def store(self, name: str, index: str, value: str) -> None:
        self.line(f"store_{self.dtype}({name}, {index}, {value})")


def places_of(lengths: Lengths) -> tuple[int, ...]:
    """How far the elements along each axis lie apart."""
    return tuple(prod(lengths[axis + 1 :]) for axis in range(len(lengths)))


def total(terms: Iterable[str]) -> str:
    """The sum of terms."""
    return " + ".join(terms) or "0"
