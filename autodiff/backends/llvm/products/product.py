"""A product as numbers, before anything is printed: sizes, strides, and how sizes are cut."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

LITERALS = ("a_row", "a_column", "b_row", "b_column", "c_row", "m", "n", "k", "accumulate")
"""The numbers of a product that are in the text of a kernel."""


@dataclasses.dataclass(frozen=True)
class Matrix:
    """Where the elements of a matrix are.

    Args:
        base: The LLVM value of the address of its first element.
        row: From one row to the next, in elements: a number, or an LLVM value where sizes are arguments.
        column: From one column to the next, likewise.
        kind: Numba's type of the address, which tells what else overlaps; None for room on the stack.
    """

    base: Any
    row: Any
    column: Any
    kind: Any = None

    def transposed(self) -> Matrix:
        return dataclasses.replace(self, row=self.column, column=self.row)


@dataclasses.dataclass(frozen=True)
class Product:
    """C = A B, or C += A B where `accumulate`: A is m x k, B is k x n, C is m x n."""

    a: Matrix
    b: Matrix
    c: Matrix
    m: int
    n: int
    k: int
    accumulate: bool

    def transposed(self) -> Product:
        """The same product as C^T = B^T A^T."""
        a, b, c = self.b.transposed(), self.a.transposed(), self.c.transposed()
        return dataclasses.replace(self, a=a, b=b, c=c, m=self.n, n=self.m)

    def plain(self) -> Product:
        """The same product; where there is only one row or column, the step to the next, which nobody takes, is 1."""
        one = dataclasses.replace
        a, b, c = self.a, self.b, self.c
        if self.m == 1:
            a, c = one(a, row=1), one(c, row=1)
        if self.n == 1:
            b, c = one(b, column=1), one(c, column=1)
        if self.k == 1:
            a, b = one(a, column=1), one(b, row=1)
        return one(self, a=a, b=b, c=c)


@dataclasses.dataclass(frozen=True)
class Piece:
    """A vector of neighbouring columns.

    Args:
        place: Its first column.
        width: Its lanes, a power of two.
        live: The lanes that stand for columns, the first ones.
    """

    place: int
    width: int
    live: int


def power_of_two(count: int) -> int:
    """The least that is not below a count."""
    return 1 << max(count - 1, 0).bit_length()


def cut(total: int, most: int, least: int) -> Iterator[tuple[int, int, int]]:
    """A size in blocks: (start, size, count) of each run of blocks of one size, of which there are at most two.

    A size from `least` to `most` that divides the total is taken, since a second size is more code.
    """
    size = next((size for size in range(min(most, total), least - 1, -1) if total % size == 0), 0)
    if size:
        yield 0, size, total // size
        return
    count = -(-total // most)
    small = total // count
    large = total - small * count
    if large:
        yield 0, small + 1, large
    if count > large:
        yield large * (small + 1), small, count - large


def columns(total: int, lanes: int, most: int) -> Iterator[tuple[int, int, list[Piece]]]:
    """Columns in blocks of at most so many vectors: (start, count, vectors of a block) of each run of equal blocks."""
    width = min(lanes, power_of_two(total))
    vectors, rest = divmod(total, width)
    narrow = [Piece(0, power_of_two(rest), rest)] if rest else []
    if vectors + len(narrow) <= most:
        yield 0, 1, [Piece(i * width, width, width) for i in range(vectors)] + place(narrow, vectors * width)
        return
    for start, size, count in cut(vectors, most, most // 2 + 1):
        yield start * width, count, [Piece(i * width, width, width) for i in range(size)]
    if narrow:
        yield vectors * width, 1, narrow


def end(pieces: list[Piece]) -> int:
    """The columns of a block of vectors."""
    return pieces[-1].place + pieces[-1].live


def place(pieces: list[Piece], start: int) -> list[Piece]:
    """The pieces, so many columns further."""
    return [dataclasses.replace(each, place=each.place + start) for each in pieces]


def product_of(bases: list[Any], kinds: list[Any], numbers: dict[str, int]) -> Product:
    """The product that arguments say."""
    (a, b, c), (a_kind, b_kind, c_kind) = bases, kinds
    return Product(
        a=Matrix(a, numbers["a_row"], numbers["a_column"], a_kind),
        b=Matrix(b, numbers["b_row"], numbers["b_column"], b_kind),
        c=Matrix(c, numbers["c_row"], 1, c_kind),
        m=numbers["m"],
        n=numbers["n"],
        k=numbers["k"],
        accumulate=bool(numbers["accumulate"]),
    )
