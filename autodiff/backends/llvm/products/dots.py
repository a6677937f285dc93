"""Products by vectors along k: a few rows times columns that are contiguous. Lanes are summed at the end."""

from __future__ import annotations

import dataclasses
from typing import Any

from autodiff.backends.llvm.products.printer import Printer
from autodiff.backends.llvm.products.product import Matrix, Piece, Product, power_of_two
from autodiff.backends.llvm.products.wide import CHAINS, print_result

FEW = 3  # rows


def print_dots(printer: Printer, product: Product) -> None:
    """A product of few rows, where B has neighbouring elements in its columns."""
    if product.a.column != 1:
        product = dataclasses.replace(product, a=print_contiguous(printer, product))
    most = min(8 if product.m == 1 else 4, power_of_two(product.n))
    whole = product.n // most
    for start, size, count in ((0, most, whole), (whole * most, product.n % most, 1)):
        if not size or not count:
            continue
        with printer.steps(start, size, count) as column:
            print_some(printer, printer.part(product, column=column, n=size))


def print_contiguous(printer: Printer, product: Product) -> Matrix:
    """Copy A to the stack, with contiguous rows."""
    a, copy = product.a, Matrix(printer.room(product.m * product.k), row=product.k, column=1)
    with printer.steps(0, 1, product.k) as column:
        for row in range(product.m):
            number = printer.splat(printer.load(printer.moved(a, row, column).base, a.kind), 1)
            printer.store(number, printer.moved(copy, row, column).base, copy.kind, 1)
    return copy


def print_some(printer: Printer, product: Product) -> None:
    """Some columns of C at once; where these are few sums, each is made of several."""
    count, k = product.m * product.n, product.k
    width = min(printer.lanes, power_of_two(k))
    parts = next((parts for parts in (1, 2, 4) if count * parts >= CHAINS or 2 * parts * width > k), 4)
    step = width * parts
    sums = [printer.zeros(width)] * (count * parts)
    for start, rounds, terms in ((0, k // step, step), (k - k % step, 1, k % step)):
        if not rounds or not terms:
            continue
        with printer.rounds(rounds, sums) as now:
            place = printer.part(product, term=printer.scaled(now.number, step, start))
            for part, first in enumerate(range(0, terms, width)):
                own = slice(part * count, (part + 1) * count)
                live = min(width, terms - first)
                now.values[own] = print_terms(printer, place, first, live, width, now.values[own])
        sums = now.values
    totals = [printer.total(sums[i::count]) for i in range(count)]
    for row in range(product.m):
        c = printer.moved(product.c, row, 0)
        print_sums(printer, c, product.accumulate, totals[row * product.n :][: product.n])


def print_terms(printer: Printer, product: Product, first: int, live: int, width: int, sums: list[Any]) -> list[Any]:
    """The sums with a vector more of the k terms."""
    a, b = product.a, product.b
    left = [printer.load(printer.moved(a, row, first).base, a.kind, live, width) for row in range(product.m)]
    right = [printer.load(printer.moved(b, first, column).base, b.kind, live, width) for column in range(product.n)]
    pairs = [(x, y) for x in left for y in right]
    return [printer.multiply_add(x, y, now) for (x, y), now in zip(pairs, sums, strict=True)]


def print_sums(printer: Printer, c: Matrix, accumulate: bool, vectors: list[Any]) -> None:
    """Store the sums of the lanes of vectors as neighbours in a row of C."""
    width = vectors[0].type.count
    for start in range(0, len(vectors), width):
        some = vectors[start : start + width]
        padding = [printer.zeros(width)] * (power_of_two(len(some)) - len(some))
        value = printer.sums(some + padding)
        print_result(printer, printer.moved(c, 0, start), accumulate, Piece(0, value.type.count, len(some)), value)
