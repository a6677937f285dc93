"""What the procedures that a kernel may call read and write: products of matrices, and of panels of large ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from autodiff.backends.language.polynomials import Polynomial, constant
from autodiff.backends.language.types import SIZES
from autodiff.backends.verifier.values import RANGES, Address, Number, Value

if TYPE_CHECKING:
    from autodiff.backends.language.numpy_loops import NumpyLoop
    from autodiff.backends.verifier.expressions import Expressions

LANES = 16
"""Bytes of terms that are turned at a time, at least."""

Axis = tuple[Polynomial, Polynomial]
"""How many elements there are along an axis, and how far they lie apart."""


def touch(
    walk: Expressions, type_: str, address: Value, axes: Sequence[Axis], stores: bool, unit: int | None = None
) -> None:
    """Note all elements of a matrix.

    Args:
        walk: where.
        type_: of an element.
        address: of the first one.
        axes: of the matrix.
        stores: whether they are written.
        unit: the bytes that steps count; those of an element if None.
    """
    if not isinstance(address, Address):
        walk.memory.fault("nothing is known of where this is")
        return
    facts, size = walk.facts.inside(), SIZES[type_]
    offset = address.offset
    for count, step in axes:
        place = facts.new("axis", (constant(0),), (count - constant(1),))
        offset = offset + constant(size if unit is None else unit) * step * place
    walk.memory.touch(facts, address.word, offset, size, type_, stores)


def multiply_matrices(walk: Expressions, type_: str, given: Sequence[Value]) -> None:
    """``c = a @ b``, where all sizes are in the text."""
    a, a_row, a_column, b, b_row, b_column, c, c_row, m, n, k, _ = given
    rows, columns, terms = sizes(walk, m, n, k)
    steps = sizes(walk, a_row, a_column, b_row, b_column, c_row)
    touch(walk, type_, a, ((rows, steps[0]), (terms, steps[1])), False)
    touch(walk, type_, b, ((terms, steps[2]), (columns, steps[3])), False)
    touch(walk, type_, c, ((rows, steps[4]), (columns, constant(1))), True)


def call_out(walk: Expressions, given: Sequence[Value]) -> None:
    """A function of Python works in a part of memory, and may note an error in its first word."""
    _, memory, begin, size, _ = given
    first, count = sizes(walk, begin, size)
    if not isinstance(memory, Address):
        walk.memory.fault("nothing is known of where this is")
        return
    facts = walk.facts.inside()
    for offset, length in ((memory.offset, constant(SIZES["i8"])), (memory.offset + first, count)):
        byte = facts.new("byte", (constant(0),), (length - constant(1),))
        walk.memory.touch(facts, memory.word, offset + byte, 1, "u1", True)
        walk.memory.keep(
            walk.facts, memory.word, offset, int(walk.facts.highest(length)), facts.between("any", *RANGES["i8"])
        )


LETTERS = {"d": ("f8", 1), "f": ("f4", 1), "D": ("f8", 2), "F": ("f4", 2)}
"""The dtypes of NumPy's loops: of what their numbers are made, and of how many."""


def numpy_loop(walk: Expressions, loop: NumpyLoop, given: Sequence[Value]) -> None:
    """A loop of NumPy's reads its operands and writes its results."""
    rest = list(given)
    count, *lengths = sizes(walk, *rest[: 1 + len(loop.lengths)])
    known, place = dict(zip(loop.lengths, lengths, strict=True)), 1 + len(loop.lengths)
    for number, (axes, letter) in enumerate(zip(loop.axes, loop.letters, strict=True)):
        address, steps = rest[place], sizes(walk, *rest[place + 1 : place + 2 + len(axes)])
        place += 2 + len(axes)
        type_, parts = LETTERS[letter]
        reach = [(count, steps[0]), *((known[axis], step) for axis, step in zip(axes, steps[1:], strict=True))]
        reach.append((constant(parts), constant(SIZES[type_])))
        if number < loop.inputs:
            touch(walk, type_, address, reach, False, 1)
        if number >= loop.inputs or number == loop.written:
            touch(walk, type_, address, reach, True, 1)


def gather_panel(walk: Expressions, type_: str, given: Sequence[Value]) -> None:
    """Terms whose elements lie side by side become a panel."""
    panel, source, step, count, width = given
    apart, terms, wide = sizes(walk, step, count, width)
    touch(walk, type_, source, ((terms, apart), (wide, constant(1))), False)
    touch(walk, type_, panel, ((terms, wide), (wide, constant(1))), True)


def turn_panel(walk: Expressions, type_: str, given: Sequence[Value]) -> None:
    """Terms that lie side by side themselves become a panel."""
    panel, source, step, count, width = given
    apart, terms, wide = sizes(walk, step, count, width)
    if walk.facts.lowest(terms) * SIZES[type_] < LANES:
        walk.memory.fault("a panel of fewer terms than are turned at a time")
    touch(walk, type_, source, ((terms, constant(1)), (wide, apart)), False)
    touch(walk, type_, panel, ((terms, wide), (wide, constant(1))), True)


def multiply_panels(walk: Expressions, type_: str, given: Sequence[Value]) -> None:
    """A tile of a product, from two panels."""
    c, a, b, c_row, a_row, b_row, count, rows, width, _ = given
    steps, (terms, high, wide) = sizes(walk, c_row, a_row, b_row), sizes(walk, count, rows, width)
    touch(walk, type_, a, ((terms, steps[1]), (high, constant(1))), False)
    touch(walk, type_, b, ((terms, steps[2]), (wide, constant(1))), False)
    touch(walk, type_, c, ((high, steps[0]), (wide, constant(1))), True)


def sizes(walk: Expressions, *given: Value) -> list[Polynomial]:
    """Numbers among the arguments."""
    found = []
    for value in given:
        if not isinstance(value, Number):
            walk.memory.fault("an argument that is no whole number")
            return [constant(0)] * len(given)
        found.append(value.value)
    return found


def philox(walk: Expressions, type_: str, given: Sequence[Value]) -> None:
    """The four words of a counter are written."""
    touch(walk, type_, given[2], ((constant(4), constant(1)),), True)


PROCEDURES: dict[str, Callable[[Expressions, str, Sequence[Value]], None]] = {
    "multiply_matrices": multiply_matrices,
    "gather_panel": gather_panel,
    "turn_panel": turn_panel,
    "multiply_panels": multiply_panels,
    "philox": philox,
}
