"""Kernels that put many arrays together in one launch."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.writing import Unsupported, Writing, element, share, word
from autodiff.trace.tape import Tape

MOST_PARTS = 64
"""Arrays that one kernel joins."""

NARROW = 128
"""Bytes of a row of joined arrays up to which threads go through the result, not through the parts."""


@prints("concatenate")
def print_concatenate(*, tape: Tape) -> DeviceKernel:
    """Arrays one behind the other along an axis."""
    writing = Writing(tape)
    axis = writing.params["axis"]
    rows = prod(writing.out.shape[: axis % writing.out.ndim])
    widths = [prod(one.shape[axis % one.ndim :]) for one in writing.operands]
    return joined(writing, rows, widths)


@prints("stack")
def print_stack(*, tape: Tape) -> DeviceKernel:
    """Arrays side by side along a new axis."""
    writing = Writing(tape)
    place = writing.out.ndim + writing.params["axis"]
    rows = prod(writing.out.shape[:place])
    return joined(writing, rows, [prod(one.shape[place:]) for one in writing.operands])


def joined(writing: Writing, rows: int, widths: Sequence[int]) -> DeviceKernel:
    """Rows that are made of the rows of parts."""
    out = writing.out.dtype
    if len(widths) > MOST_PARTS:
        raise Unsupported("so many arrays")
    same = all(one.dtype == out for one in writing.operands)
    kinds = [word(out) if same else element(one.dtype) for one in writing.operands]
    kind = word(out) if same else element(out)
    writing.arrays(kinds, kind)
    whole = sum(widths)
    if rows > 1 and whole * out.itemsize <= NARROW:
        through_result(writing, rows, widths, kind)
    else:
        through_parts(writing, rows, widths, max(1, 16 // out.itemsize) if same else 1)
    return writing.kernel()


def through_parts(writing: Writing, rows: int, widths: Sequence[int], words: int) -> None:
    """Blocks along y for each part."""
    words = words if all(width % words == 0 for width in widths) else 1
    call = f"join_words<{words}>" if words > 1 else "join_elements"
    lines, start = ["switch (blockIdx.y) {"], 0
    shared = f"{writing.size('rows', rows)}"
    whole = writing.size("whole", sum(widths))
    for k, (name, width) in enumerate(zip(writing.names, widths)):
        given = (
            f"{name}, out0, {shared}, {writing.size(f'width{k}', width)}, {writing.size(f'start{k}', start)}, {whole}"
        )
        lines.append(f"  case {k}: {call}({given}); break;")
        start += width
    blocks = share(rows * max(widths, default=0) // words, 1)[1][0]
    writing.launch([*lines, "}"], (blocks, len(widths)))


def through_result(writing: Writing, rows: int, widths: Sequence[int], kind: str) -> None:
    """A thread for each element of the result, which finds its part."""
    whole = writing.size("whole", sum(widths))
    lines = [
        f"each_element({writing.size('rows', rows)} * {whole}, [&](const Index k) {{",
        f"  const Index row = k / {whole}, column = k - row * {whole};",
    ]
    start, test = 0, "if"
    for k, (name, width) in enumerate(zip(writing.names, widths)):
        if width:
            end, own = writing.size(f"end{k}", start + width), writing.size(f"width{k}", width)
            value = f"{name}[row * {own} + column - ({end} - {own})]"
            lines.append(f"  {test} (column < {end}) out0[k] = cast<{kind}>({value});")
            test = "else if"
        start += width
    writing.launch([*lines, "});"], share(rows * sum(widths), 1)[1])
