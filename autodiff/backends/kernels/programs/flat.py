"""Loops whose body does the same to each element of the inner axes: one loop over all elements instead.

Short inner axes are written out, so that sums along them and what is between their elements stay in variables. Where
nothing of that kind happens, the elements of ``(n, 3)`` are treated one like the other, and a loop over the 3 n of them
as they lie in memory is shorter and faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Access:
    """A place in memory inside the loops: a constant part, and a stride for each loop."""

    offset: int
    strides: tuple[int, ...]


Line = str | tuple[str | Access, ...]
"""A line of the loops: its text, with the places in memory in it, which are written when the loops are."""


class Flat:
    """Loops with one loop more, over the inner axes, while they are being filled.

    Attributes:
        count: elements of the inner axes; 0 as long as nothing is known of them.
        body: the lines for one element, with the names that the first one has where all are written out.
        accesses: the places in memory in these lines.
        lanes: for each name which element's it is, and what the first element's is called.
        alike: whether all that was written so far is the same for all elements.
    """

    def __init__(self) -> None:
        self.count = 0
        self.body: list[Line] = []
        self.accesses: list[Access] = []
        self.lanes: dict[str, tuple[str, int]] = {}
        self.alike = True

    @property
    def shorter(self) -> bool:
        """Whether it may take the place of the lines that are written out."""
        return self.alike and self.count > 1 and bool(self.body)

    def spoil(self) -> None:
        """Something is done to some elements alone, or between them."""
        self.alike = False

    def computed(self, names: Sequence[str], operands: Sequence[Sequence[Any]], line: Line) -> None:
        """An operation on all elements.

        Args:
            names: of the results.
            operands: the elements of each operand.
            line: for the first element.
        """
        if self.fits(len(names)) and all(map(self.in_order, operands)):
            self.note(names)
            self.body.append(line)
        else:
            self.spoil()

    def loaded(
        self, names: Sequence[str], new: bool, before: str, places: Sequence[int], strides: Sequence[int]
    ) -> None:
        """Elements of memory.

        Args:
            names: of the elements.
            new: whether they are loaded now.
            before: the line for the first element, up to the place.
            places: in memory, on the inner axes.
            strides: for the loops.
        """
        one = len(names) == 1 and not any(strides)  # the same number in all rounds
        if one and names[0] not in self.lanes:
            if new:
                self.body.append((before, self.place(places[0], (*strides, 0)), ")"))
        elif not one and self.fits(len(names)) and self.side_by_side(places, strides) and (new or self.in_order(names)):
            if new:
                self.note(names)
                self.body.append((before, self.place(places[0], (*strides, 1)), ")"))
        else:
            self.spoil()

    def stored(
        self, elements: Sequence[Any], parts: Sequence[str], places: Sequence[int], strides: Sequence[int]
    ) -> None:
        """Elements written to memory.

        Args:
            elements: the elements.
            parts: of the line for the first one; the place stands between any two.
            places: in memory, on the inner axes.
            strides: for the loops.
        """
        if not (self.fits(len(elements)) and self.in_order(elements) and self.side_by_side(places, strides)):
            self.spoil()
            return
        line: list[str | Access] = [parts[0]]
        for part in parts[1:]:
            line += (self.place(places[0], (*strides, 1)), part)
        self.body.append(tuple(line))

    def fits(self, count: int) -> bool:
        """Whether the inner axes have so many elements."""
        self.count = self.count or count
        return self.alike and self.count == count > 1

    def note(self, names: Sequence[str]) -> None:
        self.lanes.update((name, (names[0], k)) for k, name in enumerate(names))

    def place(self, offset: int, strides: tuple[int, ...]) -> Access:
        found = Access(offset, strides)
        self.accesses.append(found)
        return found

    def side_by_side(self, places: Sequence[int], strides: Sequence[int]) -> bool:
        """Whether elements lie one after the other, those of the next round after them."""
        return (
            bool(strides) and strides[-1] == self.count and list(places) == [places[0] + k for k in range(len(places))]
        )

    def in_order(self, elements: Sequence[Any]) -> bool:
        """Whether these are the elements of one value in order, or one number or name from outside of the loops."""
        first = elements[0]
        if type(first) is not str:
            return all(type(e) is type(first) and repr(e) == repr(first) for e in elements)
        if first not in self.lanes:
            return all(type(e) is str and e == first for e in elements)
        return all(type(e) is str and self.lanes.get(e) == (self.lanes[first][0], k) for k, e in enumerate(elements))
