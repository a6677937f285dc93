"""Kernels that move elements: copies of views, parts laid into arrays, arrays joined, turned and rolled."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.strides import View, part_of_key, steps_of, view_of
from autodiff.backends.cupy.kernels.writing import (
    MOST_ACROSS,
    MOST_BLOCKS,
    Lengths,
    Unsupported,
    Writing,
    element,
    share,
    word,
)
from autodiff.trace.tape import Tape

TILE = 32
"""Lengths from which axes are turned in tiles."""

MOST_PARTS = 64
"""Arrays that one kernel joins."""

NARROW = 128
"""Bytes of a row of joined arrays up to which threads go through the result, not through the parts."""


# Views.


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
        f"turn_tiles<{len(lengths)}>({writing.names[0]} + {writing.size('offset', view.offset)}, out0, {', '.join(given)}, "
        f"lengths, steps, steps_out, {writing.size('others', prod(lengths))});",
    ]
    writing.launch(lines, (max(1, min(tiles, MOST_BLOCKS)), max(1, min(prod(lengths), MOST_ACROSS))))


# Parts of arrays.


class Laid:
    """Regular places of an array, axis by axis, and the steps of what comes to lie there."""

    def __init__(self, lengths: Lengths) -> None:
        self.lengths = lengths
        self.axes: list[tuple[int, int, int, int, int]] = []
        self.offset = 0

    def axis(self, length: int, start: int, apart: int, count: int, step: int) -> None:
        """One more axis: behind the last one, and one with it if that is possible."""
        if count and apart < 0:
            self.offset += (count - 1) * step
            start, apart, step = start + (count - 1) * apart, -apart, -step
        if count == 0:
            start, apart = 0, 1
        if length == 1 and count == 1:
            return
        if self.axes and (start, count) == (0, length) and self.axes[-1][2] == 1 and self.axes[-1][4] == length * step:
            before, begin, _, many, _ = self.axes.pop()
            self.axes.append((before * length, begin * length, 1, many * length, step))
        else:
            self.axes.append((length, start, apart, count, step))

    def write(self, writing: Writing, g: str, x: str) -> DeviceKernel:
        """The kernel that puts elements of g there, and elements of x elsewhere."""
        columns = zip(*(self.axes or [(1, 0, 1, 1, 1)]))
        names = ("lengths", "starts", "apart", "counts", "steps")
        found = dict(zip(names, columns, strict=True))
        rows = prod(found["lengths"][:-1])
        team, blocks = share(rows, found["lengths"][-1])
        lines = [f"const Index {name}[] = {writing.sizes(name, values)};" for name, values in found.items()]
        kind = word(writing.out.dtype)
        other = x or f"static_cast<const {kind}*>(nullptr)"
        given = f"{g} + {writing.size('offset', self.offset)}, {other}, out0, {', '.join(names)}"
        call = f"lay<{team}, {len(found['lengths'])}>({given}, {writing.size('rows', rows)});"
        writing.launch([*lines, call], blocks)
        return writing.kernel()


def laid_at(key: Sequence[object], lengths: Lengths) -> Laid:
    """The places that a basic key names, of the last axes."""
    first = len(lengths) - sum(isinstance(part, (int, tuple)) for part in key)
    parts = [(0, 1, length) for length in lengths[:first]]
    kept = [part for part in key if isinstance(part, (int, tuple))]
    parts += [part_of_key(part, length) for part, length in zip(kept, lengths[first:], strict=True)]
    laid = Laid(lengths)
    steps = steps_of(tuple(count for _, _, count in parts))
    for length, (start, apart, count), step in zip(lengths, parts, steps):
        laid.axis(length, start, apart, count, step)
    return laid


@prints("slice_into")
def print_slice_into(*, tape: Tape) -> DeviceKernel:
    """Zeros, and an array at a basic key."""
    writing = Writing(tape)
    kind = word(writing.out.dtype)
    writing.arrays((kind,), kind)
    return laid_at(writing.params["key"], writing.out.shape).write(writing, writing.names[0], "")


@prints("slice_set")
def print_slice_set(*, tape: Tape) -> DeviceKernel:
    """An array with another one at a basic key."""
    writing = Writing(tape)
    x, v = writing.operands
    if x.dtype != v.dtype:
        raise Unsupported("an array of another dtype")
    kind = word(x.dtype)
    writing.arrays((kind, kind), kind)
    return laid_at(writing.params["key"], x.shape).write(writing, writing.names[1], writing.names[0])


@prints("shift")
def print_shift(*, tape: Tape) -> DeviceKernel:
    """Elements moved on by one place along an axis."""
    writing = Writing(tape)
    (x,) = writing.operands
    kind, laid = word(x.dtype), Laid(x.shape)
    writing.arrays((kind,), kind)
    for k, (length, step) in enumerate(zip(x.shape, steps_of(x.shape))):
        if k == writing.params["axis"] % x.ndim:
            back = writing.params["reverse"]
            laid.offset += step if back and length > 1 else 0
            laid.axis(length, 0 if back else 1, 1, max(length - 1, 0), step)
        else:
            laid.axis(length, 0, 1, length, step)
    return laid.write(writing, writing.names[0], "")


@prints("roll")
def print_roll(*, tape: Tape) -> DeviceKernel:
    """Elements moved along axes; what leaves at the end comes in at the front."""
    writing = Writing(tape)
    (x,) = writing.operands
    kind = word(x.dtype)
    writing.arrays((kind,), kind)
    shifts = [0] * x.ndim
    for shift, axis in zip(writing.params["shifts"], writing.params["axes"], strict=True):
        shifts[axis % x.ndim] += shift
    axes: list[tuple[int, int]] = []
    for length, shift in zip(x.shape, shifts):
        own = shift % length if length else 0
        if axes and own == 0:
            axes[-1] = axes[-1][0] * length, axes[-1][1] * length
        else:
            axes.append((length, own))
    lengths = tuple(length for length, _ in axes) or (1,)
    rows = prod(lengths[:-1])
    team, blocks = share(rows, lengths[-1])
    lines = [
        f"const Index lengths[] = {writing.sizes('length', lengths)};",
        f"const Index shifts[] = {writing.sizes('shift', [shift for _, shift in axes] or [0])};",
        f"const Index steps[] = {writing.sizes('step', steps_of(lengths))};",
        f"roll<{team}, {len(lengths)}>({writing.names[0]}, out0, lengths, shifts, steps, {writing.size('rows', rows)});",
    ]
    writing.launch(lines, blocks)
    return writing.kernel()


# Arrays put together.


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
        given = f"{name}, out0, {shared}, {writing.size(f'width{k}', width)}, {writing.size(f'start{k}', start)}, {whole}"
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
