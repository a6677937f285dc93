"""Kernels that put elements at regular places, and move them along axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.strides import part_of_key, steps_of
from autodiff.backends.cupy.kernels.writing import Lengths, Unsupported, Writing, share, word
from autodiff.trace.tape import Tape

WIDE = 64
"""Registers of a thread where places have many coordinates."""


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
        writing.launch([*lines, call], blocks, registers=WIDE if len(found["lengths"]) > 1 else 0)
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
        f"roll<{team}, {len(lengths)}>({writing.names[0]}, out0, lengths, shifts, steps, "
        f"{writing.size('rows', rows)});",
    ]
    writing.launch(lines, blocks)
    return writing.kernel()
