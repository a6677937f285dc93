"""Products as names in the text of a kernel."""

from __future__ import annotations

import functools
from typing import Any

from autodiff.backends.llvm.products.choice import print_product
from autodiff.backends.llvm.products.machine import Machine, machine_of
from autodiff.backends.llvm.products.printer import Printer
from autodiff.backends.llvm.products.product import LITERALS, product_of
from autodiff.backends.numba.intrinsics import memory


@functools.cache
def intrinsics(machine: Machine | None = None) -> dict[str, Any]:
    """The names of products in the text of a kernel.

    ``multiply_matrices_float32(a, a_row, a_column, b, b_row, b_column, c, c_row, m, n, k, accumulate)`` and
    ``multiply_matrices_float64`` store the product of A (m x k) and B (k x n) in C (m x n), or add it to C where
    ``accumulate`` is true. ``a``, ``b``, ``c`` are addresses as `memory.intrinsics` knows them, all others are literal
    numbers. ``a_row`` is the number of elements from a row of A to the next, ``a_column`` from a column to the next, of
    either sign or zero; the rows of C are contiguous. C must not overlap A or B. Nothing but their elements is read or
    written, besides up to 32 KB of the stack. Every sum is made in an order that depends on nothing but sizes, strides
    and the processor.

    Args:
        machine: For which processor; that for which Numba compiles if None.
    """
    return {f"multiply_matrices_float{bits}": multiplication(bits, machine) for bits in (32, 64)}


def multiplication(bits: int, machine: Machine | None) -> Any:
    """The intrinsic for one size of elements."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled
    from numba.extending import intrinsic  # noqa: PLC0415

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator, unused-ignore]
    def multiply_matrices(
        typing: Any, a: Any, a_row: Any, a_column: Any, b: Any, b_row: Any, b_column: Any, c: Any, c_row: Any,
        m: Any, n: Any, k: Any, accumulate: Any,
    ) -> Any:  # fmt: skip
        kinds = dict(zip(LITERALS, (a_row, a_column, b_row, b_column, c_row, m, n, k, accumulate), strict=True))
        numbers = {name: literal(f"multiply_matrices_float{bits}", name, kind) for name, kind in kinds.items()}
        places = [memory.as_address(kind) for kind in (a, b, c)]

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            triple, _, features = context.codegen().magic_tuple()
            printer = Printer(builder, machine or machine_of(triple, features), bits)
            bases = [builder.inttoptr(args[i], printer.element.as_pointer()) for i in (0, 3, 6)]
            print_product(printer, product_of(bases, places, numbers))
            return context.get_dummy_value()

        a_place, b_place, c_place = places
        return types.void(
            a_place, a_row, a_column, b_place, b_row, b_column, c_place, c_row, m, n, k, accumulate
        ), generate

    return multiply_matrices


def literal(function: str, name: str, kind: Any) -> int:
    """The number that an argument is in the text."""
    from numba.core.errors import TypingError  # noqa: PLC0415 - only where kernels are compiled

    value = getattr(kind, "literal_value", None)
    if not isinstance(value, int):
        raise TypingError(
            f"{function} needs the argument {name!r} as a number in the text of the kernel, for it decides what code is"
            f" printed; it got a value of type {kind}. Write the number, or call BLAS where it varies"
        )
    return value
