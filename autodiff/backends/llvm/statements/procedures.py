"""What a kernel's text may call that gives nothing: products of matrices, and of panels of large ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autodiff.backends.llvm.products.choice import print_product
from autodiff.backends.llvm.products.panels import Place, gather_panel, multiply_panels, turn_panel
from autodiff.backends.llvm.products.printer import Printer
from autodiff.backends.llvm.products.product import LITERALS, Matrix, product_of


def multiply_matrices(printer: Printer, *given: Any) -> None:
    """A product of which all sizes are known."""
    places = [given[k](row=0, column=0) for k in (0, 3, 6)]
    numbers = dict(zip(LITERALS, [given[k] for k in (1, 2, 4, 5, 7, 8, 9, 10, 11)], strict=True))
    print_product(printer, product_of([each.base for each in places], [each.kind for each in places], numbers))


PROCEDURES: dict[str, Callable[..., None]] = {
    "multiply_matrices": multiply_matrices, "gather_panel": gather_panel, "turn_panel": turn_panel,
    "multiply_panels": multiply_panels,
}  # fmt: skip
"""What prints each; what they take is in the language."""


def place(printer: Printer, address: Any, kind: Any) -> Place:
    """A matrix of a printer's elements at an address."""
    return partial(Matrix, printer.builder.inttoptr(address, printer.element.as_pointer()), kind=kind)
