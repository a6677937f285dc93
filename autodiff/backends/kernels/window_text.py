"""Windows that slide over images as texts of kernels: maxima, sums and picks, and what lays numbers in windows.

An image is what the last axes of an array hold; threads share the images. What goes from images to windows reads the
elements of a window in its order. What goes back writes each pixel of a row once: it gathers from the windows that the
pixel lies in. Only where windows overlap along another axis than the last one, later windows add to earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from autodiff.backends.kernels.scalars import literal
from autodiff.ops.overlap import Lengths, window_counts
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


def window_text(layout: Layout, arrays: Sequence[Spec]) -> str:
    """The kernel of a layout.

    Args:
        layout: what it does.
        arrays: the words of its block: what it reads, then what it fills; the word behind them tells of positions that
            are out of range.
    """
    text = Backward(layout) if layout.back else Forward(layout)
    return text.write(arrays)


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


class Forward(Text):
    """From images to windows: a row of windows is one loop."""

    def names(self) -> tuple[str, ...]:
        return {
            "max_windows": ("x", "out", "places") if self.layout.places else ("x", "out"),
            "sum_windows": ("x", "out"),
            "first_positions": ("x", "extreme", "places"),
            "pick_from_windows": ("x", "places", "out"),
        }[self.layout.kind]

    def image(self) -> None:
        self.windows()
        self.loop("j", str(self.layout.counts[-1]))
        step = self.layout.stride[-1]
        if step == 1:
            self.line("p = i + j")
        else:
            self.line(f"p = i + j * {step}")
        getattr(self, self.layout.kind)()

    def elements(self) -> Iterator[str]:
        """The elements of a window, in its order."""
        steps = places_of(self.layout.lengths)
        for place in product(*map(range, self.layout.shape)):
            far = sum(at * step for at, step in zip(place, steps, strict=True))
            yield self.load("x_r", f"p + {far}" if far else "p")

    @property
    def whole(self) -> str:
        """Whole numbers as wide as the others, so that vectors of both are alike."""
        return "i4" if self.size == 4 else "i8"

    def max_windows(self) -> None:
        first, *others = self.elements()
        self.line(f"largest = {first}")
        if self.layout.places:
            self.line(f"place = {self.whole}(0)")
        for number, element in enumerate(others, 1):
            if not self.layout.places:
                self.line(f"largest = maximum(largest, {element})")
                continue
            self.line(f"x{number} = {element}")
            self.line(f"larger = (largest == largest) & (not (x{number} <= largest))")  # NaN is the largest
            self.line(f"place = where(larger, {self.whole}({number}), place)")
            self.line(f"largest = where(larger, x{number}, largest)")
        self.store("out_r", "a + j", "largest")
        if self.layout.places:
            self.line("store_uint8(places_r, a + j, u1(place))")

    def first_positions(self) -> None:
        elements = list(self.elements())
        self.line(f"wanted = {self.load('extreme_r', 'a + j')}")
        self.line("undefined = wanted != wanted")
        self.line(f"place = {self.whole}({len(elements)})")
        for number in range(len(elements) - 1, -1, -1):
            self.line(f"x{number} = {elements[number]}")
            self.line(f"hit = (x{number} == wanted) | (undefined & (x{number} != x{number}))")
            self.line(f"place = where(hit, {self.whole}({number}), place)")
        self.line("store_uint8(places_r, a + j, u1(place))")

    def pick_from_windows(self) -> None:
        first, *others = self.elements()
        self.line("place = load_uint8(places_r, a + j)")
        self.line(f"found = {first}")
        for number, element in enumerate(others, 1):
            self.line(f"found = where(place == {number}, {element}, found)")
        self.store("out_r", "a + j", "found")

    def sum_windows(self) -> None:
        """Sums along the first axis, of which the next ones are made, as NumPy adds them."""
        terms = list(self.elements())
        behind = len(terms)
        for axis, width in enumerate(self.layout.shape):
            behind //= width
            sums = [f"s{axis}_{number}" for number in range(behind)]
            for number, name in enumerate(sums):
                self.line(f"{name} = {' + '.join(terms[number::behind])}")
            terms = sums
        self.store("out_r", "a + j", terms[0])


class Backward(Text):
    """From windows to images.

    For each row of windows the rows of pixels under them are done one after another. Every pixel of one of these rows
    lies in some windows of the row, whose numbers are added. The first such sum is stored, others are added to it.
    """

    @property
    def lays(self) -> bool:
        """Whether numbers go to single places."""
        return self.layout.kind == "lay_in_windows"

    def names(self) -> tuple[str, ...]:
        if not self.lays:
            return "g", "out"
        return ("g", "places", "mask", "out") if self.layout.masked else ("g", "places", "out")

    def image(self) -> None:
        layout = self.layout
        depth = self.depth
        self.zeros()
        self.windows(backwards=not self.lays)
        pixels = places_of(layout.lengths)
        width = layout.shape[-1]
        for number, place in enumerate(product(*map(range, layout.shape[:-1]))):
            far = sum(at * step for at, step in zip(place, pixels, strict=False))
            self.line(f"o = i + {far}" if far else "o = i")
            self.row(number * width, self.is_first(place))
        self.depth = depth

    def is_first(self, place: Lengths) -> bool:
        """Whether no window before has stored anything where these windows have a place."""
        if not self.everywhere():
            return all(
                at >= width - step if self.lays else at < step
                for at, width, step in zip(place, self.layout.shape, self.layout.stride, strict=False)
            )
        return not any(width > step for width, step in self.sizes())

    def sizes(self) -> list[tuple[int, int]]:
        """The widths of windows and the steps between them along all axes but the last."""
        return list(zip(self.layout.shape, self.layout.stride, strict=True))[:-1]

    def everywhere(self) -> bool:
        """Whether zeros are stored everywhere first: where rows along several axes have no windows, or several."""
        layout = self.layout
        whole = zip(self.sizes(), layout.counts, layout.lengths, strict=False)
        plain = all(width == step and step * count == length for (width, step), count, length in whole)
        return len(layout.shape) > 2 and not plain

    def zeros(self) -> None:
        """Zeros where no window stores anything, and where something is added that is not the first."""
        layout = self.layout
        if self.everywhere():
            self.clear("0", prod(layout.lengths))
        elif len(layout.shape) == 2:
            (width, step), count, (length, row) = self.sizes()[0], layout.counts[0], layout.lengths
            end = step * (count - 1) + width
            if width > step:
                self.clear(str(0 if self.lays else step * count * row), (width - step) * row)
            if width < step and count > 1:
                self.loop("w", str(count - 1))
                self.line(f"o = w * {step * row} + {width * row}")
                self.clear("o", (step - width) * row)
                self.depth -= 1
            self.clear(str(end * row), (length - end) * row)

    def clear(self, start: str, count: int) -> None:
        """So many zeros."""
        if count:
            self.loop("j", str(count))
            self.store("out_r", f"{start} + j" if start != "0" else "j", self.zero)
            self.depth -= 1

    def row(self, code: int, first: bool) -> None:
        """A row of pixels from `o` on under a row of windows from `a` on.

        Args:
            code: the number of the first place of the row in its window.
            first: whether it is stored; otherwise it is added to what is there.
        """
        layout = self.layout
        length, width, step, count = (each[-1] for each in (layout.lengths, layout.shape, layout.stride, layout.counts))
        most = -(-width // step)
        begin, end = most - 1, min(count, length // step)
        if begin >= end:
            self.edge(0, length, code, first)
            return
        self.edge(0, begin * step, code, first)
        self.loop("j", f"{begin}, {end}")
        for m in range(most):
            at = f"a + j - {m}" if m else "a + j"
            self.line(f"g{m} = {self.load('g_r', at)}")
            if self.lays:
                self.line(f"place{m} = load_uint8(places_r, {at})")
        for rest in range(step):
            at = "o + j" if step == 1 else f"o + j * {step} + {rest}" if rest else f"o + j * {step}"
            terms = range(-(-(width - rest) // step))
            if self.lays:
                values = [self.hit(f"place{m} == {code + rest + step * m}", at, f"g{m}") for m in reversed(terms)]
            else:
                values = [f"g{m}" for m in terms]
            self.store("out_r", at, self.added(values, at, first))
        self.depth -= 1
        self.edge(end * step, length, code, first)

    def hit(self, condition: str, at: str, value: str, rest: str = "") -> str:
        """A number where a condition holds and a pixel is selected, and zero, or another one, elsewhere."""
        if self.layout.masked:
            condition = f"({condition}) & load_bool(mask_r, {at})"
        return f"where({condition}, {value}, {rest or self.zero})"

    def added(self, values: Sequence[str], at: str, first: bool) -> str:
        """The sum of what a row of windows has for a pixel, with what is there."""
        if not values:
            return self.zero if first else self.load("out_r", at)
        if self.lays:
            if first and not self.layout.overlaps:
                return values[0]
            return " + ".join((self.zero if first else self.load("out_r", at), *values))
        own = " + ".join((self.zero, *values))
        return own if first else f"{self.load('out_r', at)} + ({own})"

    def edge(self, start: int, stop: int, code: int, first: bool) -> None:
        """The pixels of a row that lie in fewer windows than others, or in none."""
        if start >= stop:
            return
        width, step, count = (each[-1] for each in (self.layout.shape, self.layout.stride, self.layout.counts))
        self.loop("q", f"{start}, {stop}")
        adds = self.lays and not first
        self.line(f"own = {self.load('out_r', 'o + q') if adds else self.zero}")
        self.line(f"low = max(0, (q + {step - width}) // {step})")
        self.line(f"high = min({count - 1}, q // {step})")
        self.loop("n", "low, high + 1")
        self.line("m = n" if self.lays else "m = low + high - n")
        value = self.load("g_r", "a + m")
        if self.lays:
            rest = "own" if not self.layout.overlaps else self.zero
            value = self.hit(f"load_uint8(places_r, a + m) == {code} + q - m * {step}", "o + q", value, rest)
        self.line(f"own = {value}" if self.lays and not self.layout.overlaps else f"own = own + {value}")
        self.depth -= 1
        self.store("out_r", "o + q", "own" if self.lays or first else f"{self.load('out_r', 'o + q')} + own")
        self.depth -= 1


def places_of(lengths: Lengths) -> tuple[int, ...]:
    """How far the elements along each axis lie apart."""
    return tuple(prod(lengths[axis + 1 :]) for axis in range(len(lengths)))


def total(terms: Iterable[str]) -> str:
    """The sum of terms."""
    return " + ".join(terms) or "0"
