"""Products whose B has no neighbouring elements in its rows: some columns at a time are copied to the stack."""

from __future__ import annotations

import dataclasses
from typing import Any

from autodiff.backends.llvm.products.printer import Printer
from autodiff.backends.llvm.products.product import Matrix, Piece, Product, columns, end
from autodiff.backends.llvm.products.wide import print_rows

ROOM = 32 * 1024  # bytes of the stack that a copy may take, which a cache of the first level holds


def print_packed(printer: Printer, product: Product) -> None:
    """A product of any strides; its k rows of one vector must fit the room."""
    fits = ROOM // (product.k * printer.lanes * printer.bytes)
    for start, count, pieces in columns(product.n, printer.lanes, min(fits, printer.machine.most_vectors)):
        length = pieces[-1].place + pieces[-1].width
        copy = Matrix(printer.room(product.k * length), row=length, column=1)
        with printer.steps(start, end(pieces), count) as column:
            part = printer.part(product, column=column)
            print_copy(printer, part.b, copy, product.k, pieces)
            print_rows(printer, dataclasses.replace(part, b=copy), pieces, padded=True)


def print_copy(printer: Printer, b: Matrix, copy: Matrix, k: int, pieces: list[Piece]) -> None:
    """Copy k rows of some columns."""
    first = pieces[0]
    equal = sum(1 for piece in pieces if piece.width == first.width and piece.live == first.live)
    for start, count, piece in [(0, equal, first), *((piece.place, 1, piece) for piece in pieces[equal:])]:
        with printer.steps(start, piece.width, count) as column:
            print_columns(printer, printer.moved(b, 0, column), printer.moved(copy, 0, column), k, piece)


def print_columns(printer: Printer, b: Matrix, copy: Matrix, k: int, piece: Piece) -> None:
    """Copy k rows of the columns of one vector: blocks of rows where columns are contiguous, else row by row."""
    size = 128 // printer.bits
    if b.row != 1 or k < size or piece.width < size:
        with printer.steps(0, 1, k) as row:
            print_gathered(printer, printer.moved(b, row, 0), printer.moved(copy, row, 0), piece)
        return
    with printer.steps(0, size, -(-k // size)) as start:
        row = least(printer, start, k - size)  # the last block takes some rows of the one before once more
        print_transposed(printer, printer.moved(b, row, 0), printer.moved(copy, row, 0), piece, size)


def least(printer: Printer, value: Any, most: int) -> Any:
    """The less of a number, or an LLVM value, and a constant."""
    if isinstance(value, int):
        return min(value, most)
    bound = printer.word(most)
    return printer.builder.select(printer.builder.icmp_signed("<", value, bound), value, bound)


def print_gathered(printer: Printer, b: Matrix, copy: Matrix, piece: Piece) -> None:
    """Copy a row, number by number."""
    vector = printer.zeros(piece.width)
    for lane in range(piece.live):
        number = printer.load(printer.moved(b, 0, lane).base, b.kind)
        vector = printer.builder.insert_element(vector, number, printer.ir.IntType(32)(lane))
    printer.store(vector, copy.base, copy.kind, piece.width)


def print_transposed(printer: Printer, b: Matrix, copy: Matrix, piece: Piece, size: int) -> None:
    """Copy as many rows as 128 bits hold numbers.

    Processors shuffle fastest within 128 bits. So `size` vectors are joined from 128 bits of each column, such that it
    remains to transpose the squares that lie side by side in them. Lanes without a column repeat the last column.
    """

    def column(index: int) -> Any:
        return printer.load(printer.moved(b, 0, min(index, piece.live - 1)).base, b.kind, size, size)

    vectors = [printer.joined([column(i) for i in range(first, piece.width, size)]) for first in range(size)]
    half = size // 2
    for _ in range(size.bit_length() - 1):  # each interleaves the first half of the rows of a square with the second
        vectors = [
            printer.shuffled(vectors[i], vectors[i + half], interleaved(piece.width, size, part))
            for i in range(half)
            for part in range(2)
        ]
    for row, vector in enumerate(vectors):
        printer.store(vector, printer.moved(copy, row, 0).base, copy.kind, piece.width)


def interleaved(width: int, size: int, part: int) -> list[int]:
    """Lanes of two vectors in turns: of each group of `size` lanes the first half or the second."""
    half = size // 2
    return [
        lane + vector * width
        for group in range(0, width, size)
        for lane in range(group + part * half, group + part * half + half)
        for vector in range(2)
    ]
