"""What a kernel reads and writes, compared with the memory that there is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from math import inf

from autodiff.backends.language.polynomials import Polynomial, symbol
from autodiff.backends.verifier.facts import Facts
from autodiff.backends.verifier.launch import Array, Fault, Launch

PART = "part.0"
"""The symbol of the part of the rows that a call of a kernel is handed."""

KEPT = "kept"
"""What symbols of numbers that were read from memory of its own are called."""

Span = tuple[float, float]
Region = tuple[int, float, float]
"""A word, and between which bytes behind it something is."""

EVERYWHERE = -inf, inf
Line = tuple[int, int]
"""How far a limit moves from one part of the rows to the next, and where it is for the first one."""


@dataclass(frozen=True)
class Touch:
    """What one part of the rows reads or writes of an array.

    Attributes:
        lows: limits below which it does not go, by the number of the part.
        highs: limits that it stays below.
        stores: whether it writes.
        line: of the kernel.
        first: the first part that does it.
        last: the last one, which may be infinite.
    """

    lows: tuple[Line, ...]
    highs: tuple[Line, ...]
    stores: bool
    line: str
    first: float
    last: float


class Memory:
    """Notes accesses.

    Args:
        launch: how the kernel is run.

    Attributes:
        faults: what is wrong.
        kept: whole numbers that are written to memory of its own: where, and between which numbers they lie.
        known: the same, as it is known from having followed the kernel before.
        line: of the kernel, at which it is.
        trial: whether nothing is noted, since it is looked at again.
    """

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.faults: dict[Fault, None] = {}
        self.touches: dict[int, dict[Touch, None]] = {}
        self.line: Callable[[], str] = str
        self.trial = 0
        self.kept: dict[Region, Span] = {}
        self.known: dict[Region, Span] = {}

    def keep(self, facts: Facts, word: int, offset: Polynomial, size: int, number: Polynomial) -> None:
        """Note between which numbers one lies that is written to memory of its own.

        As long as nothing is known of what is read there, what was read says nothing of what is written.
        """
        if self.trial or (not self.known and any(name.startswith(KEPT) for name in number.symbols)):
            return
        region = word, facts.lowest(offset), facts.highest(offset) + size
        low, high = self.kept.get(region, (inf, -inf))
        self.kept[region] = min(low, facts.lowest(number)), max(high, facts.highest(number))

    def kept_in(self, facts: Facts, word: int, offset: Polynomial, size: int) -> Span:
        """Between which numbers those lie that are written somewhere where one is read."""
        first, last = facts.lowest(offset), facts.highest(offset) + size
        found = [span for (own, low, high), span in self.known.items() if own == word and low < last and first < high]
        return (min(low for low, _ in found), max(high for _, high in found)) if found else EVERYWHERE

    def fault(self, reason: str) -> None:
        """Note that something is wrong."""
        if not self.trial:
            self.faults[Fault(self.line(), reason)] = None

    def touch(self, facts: Facts, word: int, offset: Polynomial, size: int, type_: str, stores: bool) -> None:
        """Note that some bytes are read or written."""
        if self.trial:
            return
        array = self.launch.words[word]
        assert isinstance(array, Array)
        low, high = facts.lowest(offset), facts.highest(offset)
        if low < 0 or high + size > array.bytes:
            self.fault(f"from {low} to {high + size} of the {array.bytes} bytes of {array.name}")
        if array.type is not None and array.type != type_:
            self.fault(f"{array.name} holds {array.type}, not {type_}")
        if array.type is None and any(factor % size for factor in offset.terms.values()):
            self.fault(f"a place in {array.name} that is no multiple of {size} bytes")
        if stores and not array.writeable:
            self.fault(f"{array.name} is only to be read")
        if self.launch.parallel and array.writeable and not array.met:
            self.share(facts, word, offset, size, stores)

    def share(self, facts: Facts, word: int, offset: Polynomial, size: int, stores: bool) -> None:
        """Note what a part of the rows has of an array."""
        lows = lines_of(facts.bounds_by(PART, offset, False))
        highs = lines_of(facts.bounds_by(PART, offset, True))
        if not lows or not highs:
            self.fault("nothing is known of which part has this")
            return
        part = symbol(PART)
        ends = tuple((step, first + size) for step, first in highs)
        touch = Touch(lows, ends, stores, self.line(), facts.lowest(part), facts.highest(part))
        self.touches.setdefault(word, {})[touch] = None

    def refuse_races(self, parts: int) -> None:
        """See to it that no part writes what another one reads or writes."""
        for word, touches in self.touches.items():
            array = self.launch.words[word]
            assert isinstance(array, Array)
            if any(not overlap(whole, whole, parts) for whole in enclosing(touches)):
                continue
            for one in touches:
                for other in touches:
                    if (one.stores or other.stores) and overlap(one, other, parts):
                        self.faults[Fault(one.line, f"two parts meet in {array.name}, here and at {other.line}")] = None
                        break


def enclosing(touches: Collection[Touch]) -> Iterator[Touch]:
    """What encloses all that a part touches, and moves from part to part by as much as some limit of each of them.

    Where these do not meet, nothing does, and thousands need not be compared with each other.
    """
    steps = [{step for step, _ in lines} for touch in touches for lines in (touch.lows, touch.highs)]
    for step in set.intersection(*steps):
        low = min(max(first for own, first in touch.lows if own == step) for touch in touches)
        high = max(min(first for own, first in touch.highs if own == step) for touch in touches)
        begin, end = min(touch.first for touch in touches), max(touch.last for touch in touches)
        yield Touch(((step, low),), ((step, high),), True, "", begin, end)


def overlap(one: Touch, other: Touch, parts: int) -> bool:
    """Whether what a part touches may reach what a later part touches, or the other way round."""
    return not (follows(one, other, parts) and follows(other, one, parts))


def follows(one: Touch, other: Touch, parts: int) -> bool:
    """Whether all that a later part touches lies behind what an earlier one does."""
    last = min(other.last, parts - 1)
    earlier = max(one.first, 0), min(one.last, last - 1)
    if earlier[0] > earlier[1]:
        return True  # no part comes before another one
    turn = min(max(other.first - 1, earlier[0]), earlier[1])  # from here on the next part touches it
    return any(
        step >= 0
        and all(step * max(part + 1, other.first) + first >= own_step * part + own for part in (*earlier, turn))
        for step, first in other.lows
        for own_step, own in one.highs
    )


def lines_of(bounds: Iterable[Polynomial]) -> tuple[Line, ...]:
    """Bounds by the number of the part alone."""
    steps = {(p.stride(PART), p.terms.get((), 0)) for p in bounds}
    return tuple((step, first) for step, first in sorted(steps, key=str) if step is not None)
