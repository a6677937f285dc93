"""Panels of large matrices as names in the text of a kernel."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.llvm.products import panels
from autodiff.backends.llvm.products.machine import Machine, machine_of
from autodiff.backends.llvm.products.printer import Printer
from autodiff.backends.llvm.products.product import Matrix
from autodiff.backends.numba.intrinsics import memory
from autodiff.backends.numba.intrinsics.products import literal


@functools.cache
def intrinsics(machine: Machine | None = None) -> dict[str, Any]:
    """The names of panels in the text of a kernel; each exists for ``float32`` and ``float64``.

    ``gather_panel_float32(panel, source, step, count, width)`` copies ``count`` terms of ``width`` elements, which is a
    literal number: the elements of a term lie side by side, terms lie ``step`` elements apart.
    ``turn_panel_float32(panel, source, step, count, width)`` copies them where the terms lie side by side and elements
    lie ``step`` apart; ``count`` is at least 4.
    ``multiply_panels_float32(c, a, b, c_row, a_row, b_row, count, rows, width, accumulate)`` stores the product of a
    panel of ``rows`` rows of A and one of ``width`` columns of B in the tile of C, or adds it there; ``rows``,
    ``width`` and ``accumulate`` are literal numbers, the rows of C and the terms of A and B lie ``c_row``, ``a_row``
    and ``b_row`` apart, ``count`` is at least 1.

    Args:
        machine: For which processor; that for which Numba compiles if None.
    """
    return {f"{name}_float{bits}": made for bits in (32, 64) for name, made in functions(bits, machine).items()}


def functions(bits: int, machine: Machine | None) -> dict[str, Any]:
    """The intrinsics for one size of elements."""
    from numba.extending import intrinsic  # noqa: PLC0415 - only where kernels are compiled

    made = functools.partial(typed_and_printed, bits, machine)

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator, unused-ignore]
    def gather_panel(typing: Any, panel: Any, source: Any, step: Any, count: Any, width: Any) -> Any:
        return made(panels.gather_panel, [panel, source], [step, count], {"width": width})

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator, unused-ignore]
    def turn_panel(typing: Any, panel: Any, source: Any, step: Any, count: Any, width: Any) -> Any:
        return made(panels.turn_panel, [panel, source], [step, count], {"width": width})

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator, unused-ignore]
    def multiply_panels(
        typing: Any, c: Any, a: Any, b: Any, c_row: Any, a_row: Any, b_row: Any, count: Any,
        rows: Any, width: Any, accumulate: Any,
    ) -> Any:  # fmt: skip
        literals = {"rows": rows, "width": width, "accumulate": accumulate}
        return made(panels.multiply_panels, [c, a, b], [c_row, a_row, b_row, count], literals)

    return {"gather_panel": gather_panel, "turn_panel": turn_panel, "multiply_panels": multiply_panels}


def typed_and_printed(
    bits: int,
    machine: Machine | None,
    print_: Callable[..., None],
    addresses: Sequence[Any],
    numbers: Sequence[Any],
    literals: dict[str, Any],
) -> Any:
    """What Numba asks of an intrinsic: its types, and what prints it.

    Args:
        bits: Of an element.
        machine: For which processor.
        print_: Takes a printer, then the arguments of the intrinsic in order, addresses as `panels.Place`.
        addresses: Types of the first arguments.
        numbers: Types of those that follow.
        literals: Types of the last ones, by name.
    """
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled

    kinds = [memory.as_address(kind) for kind in addresses]
    own = [literal("a product of panels", name, kind) for name, kind in literals.items()]

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        triple, _, features = context.codegen().magic_tuple()
        printer = Printer(builder, machine or machine_of(triple, features), bits)
        bases = [builder.inttoptr(arg, printer.element.as_pointer()) for arg in args[: len(kinds)]]
        places = [functools.partial(Matrix, base, kind=kind) for base, kind in zip(bases, kinds, strict=True)]
        print_(printer, *places, *args[len(kinds) : len(kinds) + len(numbers)], *own)
        return context.get_dummy_value()

    return types.void(*kinds, *[types.int64] * len(numbers), *literals.values()), generate
