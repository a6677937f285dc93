"""Kernels that pick elements by indices, or put elements at them."""

from __future__ import annotations

from math import prod

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.writing import Unsupported, Writing, across_axis, integer, share, word
from autodiff.trace.tape import Tape


def width_of_rows(columns: int, itemsize: int) -> int:
    """How many elements of a row are moved together: 16 bytes, where rows are whole numbers of them."""
    width = max(1, 16 // itemsize)
    return width if columns % width == 0 else 1


@prints("gather")
def print_gather(*, tape: Tape) -> DeviceKernel:
    """Rows picked along one axis."""
    writing = Writing(tape)
    x, i = writing.operands
    rest = writing.params["rest"]
    lead = x.ndim - 1 - rest
    if i.shape[:lead] != x.shape[:lead]:
        raise Unsupported("indices that are repeated along the first axes")
    columns, rows = prod(x.shape[x.ndim - rest :]), prod(i.shape)
    width = width_of_rows(columns, x.dtype.itemsize)
    team, blocks = share(rows, columns // width)
    writing.arrays((word(x.dtype), integer(i.dtype)), word(x.dtype))
    given = ", ".join(
        (
            *writing.names, "out0", writing.status(), writing.size("rows", rows),
            writing.size("picked", prod(i.shape[lead:])), writing.size("length", x.shape[lead]),
            writing.size("columns", columns),
        )
    )  # fmt: skip
    writing.launch(f"gather_rows<{team}, {width}>({given});", blocks)
    return writing.kernel()


@prints("pick")
def print_pick(*, tape: Tape) -> DeviceKernel:
    """Elements picked along an axis, by an index for each."""
    writing = Writing(tape)
    x, i = writing.operands
    axis = writing.params["axis"]
    outer, picked, inner = across_axis(i.shape, axis)
    if (outer, inner) != across_axis(x.shape, axis)[::2] or i.ndim != x.ndim:
        raise Unsupported("indices that are repeated along an axis")
    writing.arrays((word(x.dtype), integer(i.dtype)), word(x.dtype))
    elementwise_pick(writing, "pick_elements", outer * picked, picked, x.shape[axis], inner)
    return writing.kernel()


@prints("place")
def print_place(*, tape: Tape) -> DeviceKernel:
    """Zeros, and elements at an index for each along an axis."""
    writing = Writing(tape)
    g, i = writing.operands
    if g.shape != i.shape:
        raise Unsupported("indices that are repeated along an axis")
    outer, picked, inner = across_axis(i.shape, writing.params["axis"])
    writing.arrays((word(g.dtype), integer(i.dtype)), word(g.dtype))
    size = writing.size("size", writing.out.size)
    writing.fill(f"fill(out0, {word(g.dtype)}{{}}, {size});", writing.out.size, g.dtype.itemsize, "zeros")
    elementwise_pick(writing, "place_elements", outer * picked, picked, writing.params["length"], inner)
    return writing.kernel()


def elementwise_pick(writing: Writing, name: str, rows: int, picked: int, length: int, inner: int) -> None:
    """The launch that takes an index for each element."""
    team, blocks = share(rows, inner)
    given = ", ".join(
        (
            *writing.names, "out0", writing.status(), writing.size("rows", rows), writing.size("picked", picked),
            writing.size("length", length), writing.size("inner", inner),
        )
    )  # fmt: skip
    writing.launch(f"{name}<{team}>({given});", blocks)


@prints("put")
def print_put(*, tape: Tape) -> DeviceKernel:
    """An array with values at indices of its last axis; of several for one place the last one stays."""
    writing = Writing(tape)
    x, i, v = writing.operands
    if i.shape[:-1] != x.shape[:-1] or v.shape != i.shape or v.dtype != x.dtype:
        raise Unsupported("indices or values that are repeated")
    writing.arrays((word(x.dtype), integer(i.dtype), word(x.dtype)), word(x.dtype))
    _, index, values = writing.names
    note_winners(writing, index, i.size, i.shape[-1], x.shape[-1], x.size)
    writing.each(f"take_winners({writing.names[0]}, {values}, winners, out0, size);", x.size)
    return writing.kernel()


@prints("last_writes")
def print_last_writes(*, tape: Tape) -> DeviceKernel:
    """Which writes to places are not overwritten by later ones."""
    writing = Writing(tape)
    (i,) = writing.operands
    length = writing.params["length"]
    writing.arrays((integer(i.dtype),), "bool")
    note_winners(writing, writing.names[0], i.size, i.shape[-1], length, prod(i.shape[:-1]) * length)
    writing.each(f"are_winners({writing.names[0]}, winners, out0, status, entries, picked, length);", i.size)
    return writing.kernel()


def note_winners(writing: Writing, index: str, entries: int, picked: int, length: int, targets: int) -> None:
    """The launches that find the last entry for each target."""
    if entries >= 1 << 31:
        raise Unsupported("so many indices")
    writing.partial("winners", "int32", targets, "int32")
    given = ", ".join((writing.status(), writing.size("entries", entries)))
    given += f", {writing.size('picked', picked)}, {writing.size('length', length)}"
    writing.fill(f"fill(winners, -1, {writing.size('size', targets)});", targets, 4, "none")
    writing.each(f"note_winners({index}, winners, {given});", entries, "winners")
