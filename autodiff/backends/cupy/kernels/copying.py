"""Kernels that copy what views show: transposes, slices, windows, broadcasts."""

from __future__ import annotations

from math import prod

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.strides import View, steps_of, view_of
from autodiff.backends.cupy.kernels.writing import MOST_ACROSS, MOST_BLOCKS, Writing, share, word
from autodiff.trace.tape import Tape

TILE = 32
"""Of so many rows and columns tiles are made; axes half as long are worth one."""


@prints("copy_of_view")
def print_copy(*, tape: Tape) -> DeviceKernel:
    """What a view shows, in C order: a transpose, a slice, windows, a broadcast."""
    writing = Writing(tape)
    (x,) = writing.operands
    view = view_of(writing.equation, x).joined()
    kind = word(x.dtype)
    writing.arrays((kind,), kind)
    turned = turned_axis(view)
    if turned is None:
        copy_along(writing, view)
    else:
        copy_in_tiles(writing, view, turned)
    return writing.kernel()


def turned_axis(view: View) -> int | None:
    """The axis along which a view's elements are neighbours, if it is not the last one and both are long."""
    if view.steps[-1] in (0, 1) or 1 not in view.steps or view.lengths[-1] < TILE // 2:
        return None
    axis = view.steps.index(1)
    return axis if view.lengths[axis] >= TILE // 2 else None


def copy_along(writing: Writing, view: View) -> None:
    """Elements in the order in which they are stored, teams of threads side by side."""
    rows, rank = prod(view.lengths[:-1]), len(view.lengths)
    team, blocks = share(rows, view.lengths[-1])
    lines = [
        f"const Index lengths[] = {writing.sizes('length', view.lengths)};",
        f"const Index steps[] = {writing.sizes('step', view.steps)};",
        f"copy_view<{team}, {rank}>({writing.names[0]} + {writing.size('offset', view.offset)}, out0, lengths, steps, "
        f"{writing.size('rows', rows)});",
    ]
    writing.launch(lines, blocks)


def copy_in_tiles(writing: Writing, view: View, axis: int) -> None:
    """Elements that are neighbours along one axis in the view, and along the last one in the copy."""
    steps = steps_of(view.lengths)
    others = [k for k in range(len(view.lengths) - 1) if k != axis]
    lengths = tuple(view.lengths[k] for k in others) or (1,)
    across, along = view.lengths[axis], view.lengths[-1]
    tiles = -(-across // TILE) * -(-along // TILE)
    given = [writing.size("across", across), writing.size("along", along)]
    given += [writing.size("step_across", steps[axis]), writing.size("step_along", view.steps[-1])]
    lines = [
        f"const Index lengths[] = {writing.sizes('length', lengths)};",
        f"const Index steps[] = {writing.sizes('step', [view.steps[k] for k in others] or [0])};",
        f"const Index steps_out[] = {writing.sizes('step_out', [steps[k] for k in others] or [0])};",
        f"turn_tiles<{len(lengths)}>({writing.names[0]} + {writing.size('offset', view.offset)}, out0, "
        f"{', '.join(given)}, "
        f"lengths, steps, steps_out, {writing.size('others', prod(lengths))});",
    ]
    writing.launch(lines, (max(1, min(tiles, MOST_BLOCKS)), max(1, min(prod(lengths), MOST_ACROSS))))
