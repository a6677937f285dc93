"""Products by vectors of columns: a tile of C stays in registers while rows of B and columns of A pass by."""

from __future__ import annotations

from typing import Any

from autodiff.backends.llvm.products.printer import Printer
from autodiff.backends.llvm.products.product import Matrix, Piece, Product, columns, cut, end

CHAINS = 6  # additions that do not wait for one another, which keep the units of a processor busy


def print_wide(printer: Printer, product: Product) -> None:
    """A product whose B has neighbouring elements in its rows."""
    for start, count, pieces in columns(product.n, printer.lanes, printer.machine.most_vectors):
        with printer.steps(start, end(pieces), count) as column:
            print_rows(printer, printer.part(product, column=column), pieces, padded=False)


def print_rows(printer: Printer, product: Product, pieces: list[Piece], padded: bool) -> None:
    """All rows of some columns of C; `padded` where the rows of B have numbers for all lanes."""
    most = printer.machine.most_rows(len(pieces))
    least = min(most // 2 + 1, max(3, -(-CHAINS // len(pieces))))
    for start, size, count in cut(product.m, most, least):
        with printer.steps(start, size, count) as row:
            print_tile(printer, printer.part(product, row=row, m=size), pieces, padded)


def print_tile(printer: Printer, product: Product, pieces: list[Piece], padded: bool) -> None:
    """A few rows of some columns of C, in registers.

    Where these are few sums, each is made of several, for every second or fourth of the k terms.
    """
    count, k = product.m * len(pieces), product.k
    parts = next((parts for parts in (1, 2, 4) if count * parts >= CHAINS or 4 * parts > k), 4)
    sums = [printer.zeros(piece.width) for _ in range(product.m) for piece in pieces] * parts
    for start, rounds, terms in ((0, k // parts, parts), (k - k % parts, 1, k % parts)):
        if not rounds or not terms:
            continue
        with printer.rounds(rounds, sums) as now:
            place = printer.part(product, term=printer.scaled(now.number, parts, start))
            for part in range(terms):
                own = slice(part * count, (part + 1) * count)
                now.values[own] = print_term(printer, place, part, now.values[own], pieces, padded)
        sums = now.values
    totals = iter([printer.total(sums[i::count]) for i in range(count)])
    for row in range(product.m):
        for piece in pieces:
            print_result(printer, printer.moved(product.c, row, piece.place), product.accumulate, piece, next(totals))


def print_term(
    printer: Printer, product: Product, p: int, sums: list[Any], pieces: list[Piece], padded: bool
) -> list[Any]:
    """The sums with one more of the k terms."""
    a, b = product.a, product.b
    right = [
        printer.load(printer.moved(b, p, piece.place).base, b.kind, piece.width if padded else piece.live, piece.width)
        for piece in pieces
    ]
    added: list[Any] = []
    for row in range(product.m):
        number = printer.load(printer.moved(a, row, p).base, a.kind)
        left = {width: printer.splat(number, width) for width in {piece.width: None for piece in pieces}}
        for piece, vector in zip(pieces, right, strict=True):
            added.append(printer.multiply_add(left[piece.width], vector, sums[len(added)]))
    return added


def print_result(printer: Printer, c: Matrix, accumulate: bool, piece: Piece, value: Any) -> None:
    """Store a vector of elements of a row of C, or add it."""
    if c.column != 1 and piece.live > 1:
        for lane in range(piece.live):
            one = printer.shuffled(value, value, [lane])
            print_result(printer, printer.moved(c, 0, lane), accumulate, Piece(0, 1, 1), one)
        return
    if accumulate:
        value = printer.builder.fadd(printer.load(c.base, c.kind, piece.live, piece.width), value)
    printer.store(value, c.base, c.kind, piece.live)
