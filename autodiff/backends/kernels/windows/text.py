"""Windows that slide over images as texts of kernels: maxima, sums and picks, and what lays numbers in windows.

What goes from images to windows reads the elements of a window in its order. What goes back writes each pixel of a row
once: it gathers from the windows that the pixel lies in. Only where windows overlap along another axis than the last
one, later windows add to earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from autodiff.backends.kernels.windows.layout import Layout, Text, places_of
from autodiff.ops.images.counting import Lengths
from autodiff.trace.spec import Spec


def window_text(layout: Layout, arrays: Sequence[Spec]) -> str:
    """The kernel of a layout.

    Args:
        layout: what it does.
        arrays: the words of its block: what it reads, then what it fills; the word behind them tells of positions that
            are out of range.
    """
    text = Backward(layout) if layout.back else Forward(layout)
    return text.write(arrays)


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
