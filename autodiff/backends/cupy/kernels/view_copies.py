"""The text of kernels that copy views: elements in their order, or tiles that are turned in shared memory."""

from __future__ import annotations

from math import prod

import numpy as np

from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.strides import View, steps_of
from autodiff.backends.cupy.kernels.writing import MOST_ACROSS, MOST_BLOCKS, WORDS, Text, share
from autodiff.trace.spec import Spec

TILE = 32
"""Of so many rows and columns tiles are made; axes half as long are worth one."""


def copy_of_words(view: View, size: int) -> DeviceKernel:
    """The kernel that copies words of so many bytes in the order of a view; it is told where the first one lies."""
    words = Spec((prod(view.lengths),), np.dtype(f"V{size}"))
    text = Text([words], [words])
    text.largest = max(text.largest, sum((n - 1) * abs(step) for n, step in zip(view.lengths, view.steps)))
    text.enter_arrays([WORDS[size]], [WORDS[size]])
    write_copy(text, view)
    return text.kernel()


def write_copy(writing: Text, view: View) -> None:
    """The function that copies a view without axes that could be joined."""
    turned = turned_axis(view)
    if turned is None:
        copy_along(writing, view)
    else:
        copy_in_tiles(writing, view, turned)


def turned_axis(view: View) -> int | None:
    """The axis along which a view's elements are neighbours, if it is not the last one and both are long."""
    if view.steps[-1] in (0, 1) or 1 not in view.steps or view.lengths[-1] < TILE // 2:
        return None
    axis = view.steps.index(1)
    return axis if view.lengths[axis] >= TILE // 2 else None


def copy_along(writing: Text, view: View) -> None:
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


def copy_in_tiles(writing: Text, view: View, axis: int) -> None:
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
