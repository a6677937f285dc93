"""Products of large matrices: how a block of one is copied to panels, and how panels are multiplied.

A panel holds some rows of A, or some columns of B, term after term of the sums: the elements of one term are
neighbours. So a tile of C reads both of its panels from their first element to their last. Sizes of matrices are
arguments here, not numbers in the text: one kernel serves matrices of all sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.backends.llvm.products.packed import print_transposed
from autodiff.backends.llvm.products.printer import Printer
from autodiff.backends.llvm.products.product import Matrix, Piece
from autodiff.backends.llvm.products.wide import print_result

Place = Callable[..., Matrix]
"""A matrix at an address, once its steps are said."""


def gather_panel(printer: Printer, panel: Place, source: Place, step: Any, count: Any, width: int) -> None:
    """A panel of terms whose elements lie side by side; terms lie ``step`` apart."""
    print_gather(printer, source(row=step, column=1), panel(row=width, column=1), count, width)


def turn_panel(printer: Printer, panel: Place, source: Place, step: Any, count: Any, width: int) -> None:
    """A panel of terms that lie side by side; their elements lie ``step`` apart."""
    print_turn(printer, source(row=1, column=step), panel(row=width, column=1), count, width)


def multiply_panels(
    printer: Printer, c: Place, a: Place, b: Place, c_row: Any, a_row: Any, b_row: Any, count: Any, *sizes: int
) -> None:
    """The product of two panels; ``sizes`` are the rows and columns of the tile, and whether it is added to."""
    rows, width, accumulate = sizes
    panels = a(row=a_row, column=1), b(row=b_row, column=1)
    print_panels(printer, *panels, c(row=c_row, column=1), rows, width, count, bool(accumulate))


def print_gather(printer: Printer, source: Matrix, panel: Matrix, count: Any, width: int) -> None:
    """Copy terms, each of which has its elements side by side in the source too."""
    pieces = vectors(printer, width)
    with printer.steps(0, 1, count) as term:
        for piece in pieces:
            found = printer.load(printer.moved(source, term, piece.place).base, source.kind, piece.width, piece.width)
            printer.store(found, printer.moved(panel, term, piece.place).base, panel.kind, piece.width)


def print_turn(printer: Printer, source: Matrix, panel: Matrix, count: Any, width: int) -> None:
    """Copy terms that lie side by side in the source; at least as many as 128 bits hold."""
    builder, size = printer.builder, 128 // printer.bits
    blocks = builder.udiv(builder.add(count, printer.word(size - 1)), printer.word(size))
    most = builder.sub(count, printer.word(size))
    with printer.steps(0, size, blocks) as start:  # the last block takes some terms of the one before once more
        term = builder.select(builder.icmp_signed("<", start, most), start, most)
        for piece in vectors(printer, width):
            place, copy = printer.moved(source, term, piece.place), printer.moved(panel, term, piece.place)
            print_transposed(printer, place, copy, piece, size)


def vectors(printer: Printer, width: int) -> list[Piece]:
    """Whole vectors for the elements of a term."""
    lanes = min(printer.lanes, width & -width)
    return [Piece(place, lanes, lanes) for place in range(0, width, lanes)]


def print_panels(
    printer: Printer, a: Matrix, b: Matrix, c: Matrix, rows: int, width: int, count: Any, accumulate: bool
) -> None:
    """The tile of C that two panels give, in as many parts as the registers of the machine ask for.

    Args:
        printer: prints it.
        a: the panel of ``rows`` rows: its columns are rows of the matrix A.
        b: the panel of ``width`` columns, or rows of B that lie further apart.
        c: the tile.
        rows: of the tile.
        width: columns of the tile.
        count: the terms of the sums.
        accumulate: whether the product is added to the tile.
    """
    pieces = vectors(printer, width)
    most = 3 if printer.machine.registers >= 32 else 2
    for first in range(0, len(pieces), most):
        some = pieces[first : first + most]
        least = printer.machine.most_rows(len(some))
        size = -(-rows // -(-rows // least))
        for row in range(0, rows, size):
            print_tile(printer, a, b, c, range(row, min(row + size, rows)), some, count, accumulate)


def print_tile(
    printer: Printer, a: Matrix, b: Matrix, c: Matrix, rows: range, pieces: list[Piece], count: Any, accumulate: bool
) -> None:
    """What of a tile fits the registers."""
    sums = [printer.zeros(piece.width) for _ in rows for piece in pieces]
    with printer.rounds(count, sums) as now:
        right = [
            printer.load(printer.moved(b, now.number, piece.place).base, b.kind, piece.width, piece.width)
            for piece in pieces
        ]
        added: list[Any] = []
        for row in rows:
            left = printer.splat(printer.load(printer.moved(a, now.number, row).base, a.kind), pieces[0].width)
            added += [printer.multiply_add(left, vector, now.values[len(added) + k]) for k, vector in enumerate(right)]
        now.values[:] = added
    totals = iter(now.values)
    for row in rows:
        for piece in pieces:
            print_result(printer, printer.moved(c, row, piece.place), accumulate, piece, next(totals))
