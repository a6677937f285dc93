"""Kernels of the positions of the first largest or smallest elements along an axis."""

from __future__ import annotations

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.sharing import RESIDENT, THREADS
from autodiff.backends.cupy.kernels.writing import Writing, across_axis, element, share, team_of
from autodiff.trace.tape import Tape

LONG = 4096
"""Elements of a stretch, at least, where blocks share a row; along other axes a thread has a 32nd of them."""

MOST_PARTS = 256
"""Stretches of a row: one thread looks at what all of them have found."""


@prints("argmax")
@prints("argmin")
def print_positions(*, tape: Tape) -> DeviceKernel:
    """Where the first extreme element stands along an axis."""
    writing = Writing(tape)
    (x,) = writing.operands
    kind = element(x.dtype)
    writing.arrays((kind,), "int64")
    outer, length, inner = across_axis(x.shape, writing.params["axis"])
    largest = "true" if writing.equation.primitive.name == "argmax" else "false"
    lines = outer * inner
    team = team_of(-(-length // 8)) if inner == 1 else 1
    least = LONG if inner == 1 else LONG // 32
    wanted = RESIDENT * THREADS // max(lines * team, 1)
    stretch = max(-(-length // max(min(wanted, MOST_PARTS), 1)), least)
    parts = -(-length // stretch)
    values, places = f"static_cast<{kind}*>(nullptr)", "out0"
    if parts > 1:
        values = writing.partial("values", x.dtype, lines * parts, kind)
        places = writing.partial("places", "int64", lines * parts, "int64")
    sizes = {"outer": outer, "length": length, "inner": inner, "stretch": stretch, "parts": parts}
    for name, value in sizes.items():
        writing.size(name, value)
    given = f"{writing.names[0]}, {values}, {places}"
    stretches = "stretches" if parts > 1 else ""
    if inner == 1:
        blocks = share(outer * parts * team, 1)[1]
        writing.launch(f"find_in_rows<{largest}, {team}>({given}, outer, length, stretch, parts);", blocks, stretches)
    else:
        call = f"find_in_lines<{largest}>({given}, outer, length, inner, stretch, parts);"
        writing.each(call, lines * parts, stretches)
    if parts > 1:
        writing.each(f"find_among<{largest}>(values, places, out0, outer, parts, inner);", lines)
    return writing.kernel()
