"""What a kernel of a stack of products does: which operands it computes as it reads them, and how it is cut.

The rows of a result, or the terms of its sums, are done a block at a time. What operands are computed from is read
then, and the operands themselves lie in memory that stays in cache. So does a block of the result for what is computed
of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from autodiff.backends.kernels.elements import COLUMN, ROW
from autodiff.backends.kernels.forms import Unfit
from autodiff.backends.kernels.places import MOVING, Place, at, operand_places, strides
from autodiff.trace.caching import cached_property
from autodiff.trace.memory.aligned import ALIGNMENT
from autodiff.trace.tape import Tape

PARTS, MANY = 16, 32
"""Parts that threads share: of whole matrices, and of blocks."""

MEMORY = 9 << 15
"""Bytes of a block, about half of what a cache of the second level has room for besides the other matrix."""

LEAST = 32
MOST = {"rows": 256, "terms": 128}
"""Rows of a block, and terms: of more, what a tile of the result reads does not fit a cache of the first level."""

SEVERAL, TOGETHER = 8, 1 << 20
"""Where sums of rows lie side by side for all matrices, threads share at least so many blocks of rows, each with all
matrices, if the second ones have at most so many bytes together: two threads should not write to one line of cache."""

ROWS, TERMS = "rows", "terms"
"""What is done a block at a time."""

Run = tuple[int, int, int]
"""Blocks of one size: where the first begins, the size, how many."""


def longer(rows: int, terms: int) -> str:
    """What of a product is cut into blocks."""
    return ROWS if rows >= terms else TERMS


@dataclass(frozen=True)
class Operand:
    """One of the two matrices of a product.

    Attributes:
        slot: of the stack.
        place: of an element: rows of the matrix are rows or columns of the loops that fill it.
        source: the input in which the matrices lie; None where they are computed.
        steps: from row to row and from column to column of the matrix.
        first: where the first element lies in the source.
        columns: of the loops that fill it.
    """

    slot: int
    place: Place
    source: tuple[int, Place] | None
    steps: tuple[int, int]
    columns: int


class StackPlan:
    """How a stack of products is computed.

    Args:
        tape: one product, the operations of which its operands are made, and what is computed of it: sums of the rows
            of its result; or, where it has more terms than rows, sums of its operands over the terms.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.specs = dict(enumerate(tape.specs))
        self.made = {slot: equation for equation in tape.equations for slot in equation.results}
        (self.product,) = (e for e in tape.equations if e.primitive.name == "matmul")
        self.out = self.product.specs[0]
        self.size = self.out.dtype.itemsize
        self.lead = self.out.shape[:-2]
        self.rows, self.columns = self.out.shape[-2:]
        first, second = self.product.operands
        assert isinstance(first, int)
        assert isinstance(second, int)
        self.terms = self.specs[first].shape[-1]
        self.cut = longer(self.rows, self.terms)
        self.names = tuple(f"q{axis}" for axis in range(len(self.lead)))
        turned = self.cut == TERMS
        self.first = self.operand(
            first, (COLUMN, ROW) if turned else (ROW, COLUMN), self.rows if turned else self.terms
        )
        self.second = self.operand(second, (ROW, COLUMN), self.columns)
        self.place = at(self.out.shape, (*self.names, ROW, COLUMN))
        self.wanted = [out for out in tape.outputs if isinstance(out, int)]
        self.reductions = [slot for slot in self.wanted if slot != self.product.results[0]]

    def operand(self, slot: int, loops: tuple[str, str], columns: int) -> Operand:
        """One of the matrices."""
        shape = self.specs[slot].shape
        place = at(shape, (*self.names[len(self.names) + 2 - len(shape) :], *loops))
        source = self.source(slot, place)
        if source is None:
            wide = self.padded(columns)
            own = {ROW: wide, COLUMN: 1}
        else:
            own, _ = strides(self.specs[source[0]].shape, source[1])
        return Operand(slot, place, source, (own.get(loops[0], 0), own.get(loops[1], 0)), columns)

    def source(self, slot: int, place: Place) -> tuple[int, Place] | None:
        """The input that a value is a view of, and the place there; None where it is computed."""
        while slot in self.made:
            if self.made[slot].primitive.name not in MOVING:
                return None
            ((slot, place),) = operand_places(self.made[slot], place, self.specs)
        return slot, place

    def padded(self, columns: int) -> int:
        """The length of rows in memory: whole lines of cache, rows of which do not fall on each other."""
        line = ALIGNMENT // self.size
        lines = -(-columns // line)
        return (lines + (lines % 8 == 0)) * line

    @cached_property
    def stored(self) -> bool:
        """Whether the result of the product itself is wanted."""
        return self.product.results[0] in self.wanted

    @cached_property
    def plain(self) -> bool:
        """Whether it is nothing but a product of views."""
        return self.first.source is not None and self.second.source is not None and not self.reductions

    @property
    def row_bytes(self) -> int:
        """What a row, or a term, takes of the memory of a block."""
        computed = [self.first] if self.cut == ROWS else [self.first, self.second]
        wide = sum(self.padded(operand.columns) for operand in computed if operand.source is None)
        if self.cut == ROWS and not self.stored:
            wide += self.padded(self.columns)
        return max(wide, self.columns) * self.size

    @cached_property
    def together(self) -> bool:
        """Whether all matrices are done for a block of rows, not all rows of a matrix."""
        seconds = self.specs[self.second.slot].size * self.size
        return self.cut == ROWS and bool(self.reductions) and self.rows >= SEVERAL * LEAST and seconds <= TOGETHER

    @cached_property
    def runs(self) -> list[Run]:
        """The blocks."""
        total = self.rows if self.cut == ROWS else self.terms
        most = min(
            max(LEAST, MEMORY // self.row_bytes), MOST[self.cut], -(-total // SEVERAL) if self.together else total
        )
        return [(0, total, 1)] if self.plain else blocks(total, most)

    @property
    def block(self) -> int:
        """The rows, or terms, of the largest block."""
        return max(size for _, size, _ in self.runs)

    @property
    def matrices(self) -> int:
        """The matrices of the stack."""
        return prod(self.lead)

    @property
    def units(self) -> int:
        """So many pieces of work there are for each matrix of the stack."""
        return sum(count for _, _, count in self.runs) if self.cut == ROWS else 1

    @property
    def count(self) -> int:
        """All pieces of work."""
        return self.matrices * self.units

    @property
    def chunk(self) -> int:
        """The pieces that are done one after the other."""
        if self.together:
            return self.matrices * -(-self.units // MANY)
        return -(-self.count // (PARTS if self.plain else MANY))

    @property
    def parts(self) -> int:
        return -(-self.count // self.chunk)

    @cached_property
    def rooms(self) -> dict[str, int]:
        """Where the memory of a part begins in which the operands and the result lie, for those that need it."""
        found: dict[str, int] = {}
        place = 0
        for name, operand, rows in (("a", self.first, self.block), ("b", self.second, self.second_rows)):
            if operand.source is None:
                found[name] = place
                place += rows * self.padded(operand.columns) * self.size
        if not self.stored and self.cut == ROWS:
            found["c"] = place
            place += self.block * self.padded(self.columns) * self.size
        if self.cut == TERMS:
            for slot in self.reductions:
                found[f"t{slot}"] = place
                place += aligned(self.summed(slot)[0].columns * self.size)
        found["end"] = place
        return found

    @property
    def second_rows(self) -> int:
        """The rows of the second matrix that are there at once."""
        return self.terms if self.cut == ROWS else self.block

    @property
    def memory(self) -> int:
        """The bytes in which a part works."""
        return self.rooms["end"]

    def summed(self, slot: int) -> tuple[Operand, Place, Place]:
        """For a sum over terms the operand that it goes with, where an element lies in it, and in the sum.

        Raises:
            Unfit: if it is no sum of what an operand is made of.
        """
        equation = self.made[slot]
        inner = equation.operands[0]
        assert isinstance(inner, int)
        axes = {axis % self.specs[inner].ndim for axis in dict(equation.params)["axes"]}
        for operand in (self.first, self.second):
            place = self.seen(operand).get(inner)
            if place is None:
                continue
            rows = {axis for axis, index in enumerate(place) if index.variable == ROW}
            kept = tuple(index for axis, index in enumerate(place) if axis not in axes)
            others = {axis for axis in axes if place[axis].variable}
            if rows and others == rows and all(name in {i.variable for i in kept} for name in self.long):
                return operand, place, kept
        raise Unfit("a sum of something else")

    @property
    def long(self) -> Sequence[str]:
        """The variables of the stack."""
        return [name for name, length in zip(self.names, self.lead, strict=True) if length > 1]

    def seen(self, operand: Operand) -> dict[int, Place]:
        """Where the values of which an operand is made are read."""
        found: dict[int, Place] = {}
        waiting = [(operand.slot, operand.place)]
        while waiting:
            slot, place = waiting.pop()
            if slot not in found:
                found[slot] = place
                if slot in self.made and operand.source is None:
                    waiting += operand_places(self.made[slot], place, self.specs)
        return found


def aligned(size: int) -> int:
    """So many bytes as whole lines of cache."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def blocks(total: int, most: int) -> list[Run]:
    """A length in blocks of at most so many: of one size if that divides it, else of two."""
    size = next((size for size in range(min(most, total), most // 2, -1) if total % size == 0), 0)
    if size:
        return [(0, size, total // size)]
    count = -(-total // most)
    small = total // count
    large = total - small * count
    runs = [(0, small + 1, large), (large * (small + 1), small, count - large)]
    return [run for run in runs if run[2]]


@lru_cache(maxsize=4096)
def stack_plan(tape: Tape) -> StackPlan:
    """How a stack of products is computed."""
    return StackPlan(tape)
