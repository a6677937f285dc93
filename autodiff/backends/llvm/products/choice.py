"""Which way a product is printed."""

from __future__ import annotations

import dataclasses

from autodiff.backends.llvm.products.dots import FEW, print_dots
from autodiff.backends.llvm.products.packed import print_packed
from autodiff.backends.llvm.products.printer import Printer
from autodiff.backends.llvm.products.product import Product
from autodiff.backends.llvm.products.wide import print_wide

BLOCK = 512  # terms that are summed one after another: a column of vectors of as many fits what `packed` copies
ENOUGH = 12  # terms, for each of the few rows, that make up for adding the lanes of vectors at the end


def print_product(printer: Printer, product: Product) -> None:
    """A product of any sizes and strides."""
    if not product.m or not product.n:
        return
    if product.k > BLOCK:
        print_blocks(printer, product)
        return
    product = product.plain()
    other = product.transposed()
    if by_dots(product):
        print_dots(printer, product)
    elif by_dots(other):
        print_dots(printer, other)
    elif product.n <= FEW < product.m and other.b.column == 1:
        print_wide(printer, other)
    elif product.b.column == 1 or not product.k:
        print_wide(printer, product)
    else:
        print_packed(printer, product)


def by_dots(product: Product) -> bool:
    """Whether vectors along k serve better than vectors of columns."""
    slow = product.b.column != 1 or product.n <= FEW
    return slow and product.b.row == 1 and 0 < product.m <= FEW and product.k >= ENOUGH * product.m


def print_blocks(printer: Printer, product: Product) -> None:
    """A product of many terms, as a sum of products of fewer; the first stores, the others add."""
    first = product.k % BLOCK or BLOCK
    print_product(printer, dataclasses.replace(product, k=first))
    with printer.steps(first, BLOCK, (product.k - first) // BLOCK) as term:
        print_product(printer, printer.part(product, term=term, k=BLOCK, accumulate=True))
