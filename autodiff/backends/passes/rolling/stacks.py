"""Values of all steps as one stack: what is a slice of something already is not copied."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.ops.elementwise import cast, python_number
from autodiff.ops.index import slice_of
from autodiff.ops.join import WHOLE, concatenate, stack
from autodiff.ops.shape import transpose
from autodiff.trace.spec import Spec, result_spec
from autodiff.trace.tape import Equation, Literal, Operand, Tape, operand_specs

COPIED, COPIES = 1 << 10, 1 << 22
"""Bytes of a single value that is copied into a stack, and of the stack, at most: matrices of layers stay in place."""


class StaysWrittenOut(Exception):
    """Steps that become no loop: it would copy too much, or carry what no loop carries."""


class Row(NamedTuple):
    """One of the slices of a value: the value, the axis as a negative number, the place."""

    whole: Operand
    axis: int
    place: int


class Stretch(NamedTuple):
    """Several of them: the first place, the step to the next one, and how many there are."""

    whole: Operand
    axis: int
    first: int
    step: int
    length: int


class Rewritten:
    """A tape with loops in the making, and what stands for the values of the old one.

    Attributes:
        tape: the old one.
        builder: of the new one.
        now: what stands for the slots of the old tape.
        waiting: slots of the old tape that are rows of what loops have stacked, with their specs: most are taken
            together again, so each is cut out only where somebody wants it alone.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.builder = Builder(tape.inputs, {})
        self.now: dict[int, Operand] = {slot: slot for slot in range(len(tape.inputs))}
        self.waiting: dict[int, tuple[Row, Spec]] = {}

    def operand(self, old: Operand) -> Operand:
        """What stands for an operand of the old tape."""
        if not isinstance(old, int):
            return old
        if old not in self.now:
            row, own = self.waiting[old]
            cut = self.builder.emit(slice_of, row.whole, key=key_of(row.axis, row.place))
            self.now[old] = as_spec(self.builder, cut, own)
        return self.now[old]

    def place(self, equation: Equation) -> None:
        """An operation outside of loops. A stack of rows of stacks is put together of these."""
        self.builder.source = equation.source
        if equation.primitive is stack and len(equation.operands) > 1:
            specs = operand_specs(equation.operands, self.tape.specs)
            parts = self.stretches(equation.operands)
            if any(isinstance(part, Stretch) for part in parts) and len({own.dtype for own in specs}) == 1:
                found = self.joined(parts, result_spec(specs[0].shape, specs[0].dtype))
                self.now[equation.results[0]] = from_front(self.builder, found, dict(equation.params)["axis"])
                return
        operands = tuple(map(self.operand, equation.operands))
        self.now.update(zip(equation.results, self.builder.append(equation, operands), strict=True))

    def stacked(self, olds: Sequence[Operand], own: Spec) -> Operand:
        """Values of the old tape one behind the other along a new first axis.

        Raises:
            StaysWrittenOut: if that would copy much.
        """
        parts = self.stretches(olds)
        size = own.size * own.dtype.itemsize
        copies = len(parts) > 1 or not isinstance(parts[0], Stretch)
        if copies and (size > COPIED or size * len(olds) > COPIES):
            raise StaysWrittenOut
        return self.joined(parts, result_spec(own.shape, own.dtype))

    def joined(self, parts: Sequence[Stretch | list[Operand]], own: Spec) -> Operand:
        """Slices of stacks, and single values of the old tape, one behind the other along a new first axis."""
        axis = -len(own.shape) - 1
        found: list[Operand] = []
        for part in parts:
            if isinstance(part, Stretch):
                found.append(self.slices(part))
            else:
                single = [as_spec(self.builder, self.operand(old), own) for old in part]
                found.append(self.builder.emit(stack, *single, axis=axis))
        if len(found) == 1:
            return found[0]
        ends = tuple(accumulate(self.builder.spec(one).shape[0] for one in found))
        return self.builder.emit(concatenate, *found, axis=axis, ends=ends)

    def stretches(self, olds: Sequence[Operand]) -> list[Stretch | list[Operand]]:
        """Values of the old tape as slices of stacks, each as long as it goes, and single values between them."""
        found: list[Stretch | list[Operand]] = []
        rows = [self.row(old) for old in olds]
        k = 0
        while k < len(rows):
            stretch = stretch_from(rows, k)
            if stretch is not None:
                found.append(stretch)
                k += stretch.length
                continue
            if found and isinstance(found[-1], list):
                found[-1].append(olds[k])
            else:
                found.append([olds[k]])
            k += 1
        return found

    def row(self, old: Operand) -> Row | None:
        """Of what an operand of the old tape is a slice; None if of nothing."""
        if not isinstance(old, int):
            return None
        if old in self.waiting:
            return self.waiting[old][0]
        new = self.now[old]
        made = self.builder.makers[new] if isinstance(new, int) else None
        if made is None or not isinstance(new, int):
            return None
        if made.primitive.name == "unstack":
            return Row(made.operands[0], dict(made.params)["axis"], new - made.results[0])
        if made.primitive is not slice_of:
            return None
        key = dict(made.params)["key"]
        places = [k for k, part in enumerate(key) if part != WHOLE]
        if len(places) != 1 or type(key[places[0]]) is not int:
            return None
        whole, axis = made.operands[0], places[0] - len(key)
        return Row(whole, axis, key[places[0]] % self.builder.spec(whole).shape[axis])

    def slices(self, stretch: Stretch) -> Operand:
        """The slices of a stretch, along the first axis."""
        whole, axis, first, step, length = stretch
        part = whole
        if (first, step, length) != (0, 1, self.builder.spec(whole).shape[axis]):
            part = self.builder.emit(slice_of, whole, key=key_of(axis, span(first, step, length)))
        return to_front(self.builder, part, axis)


def stretch_from(rows: Sequence[Row | None], first: int) -> Stretch | None:
    """The longest stretch that begins with a row; None if it is that row alone."""
    row = rows[first]
    step, count = 0, 1
    for k in range(first + 1, len(rows)):
        other = rows[k]
        if row is None or other is None or other[:2] != row[:2]:
            break
        step = step or other.place - row.place
        if step == 0 or other.place != row.place + count * step:
            break
        count += 1
    return Stretch(*row, step, count) if row is not None and count > 1 else None


def key_of(axis: int, part: Any) -> tuple[Any, ...]:
    """The key that takes a part along an axis, a negative number, and all of the axes after it."""
    return (part, *(WHOLE,) * (-axis - 1))


def span(first: int, step: int, length: int) -> tuple[int | None, int | None, int | None]:
    """The slice of so many places."""
    stop = first + step * length
    return first, stop if stop >= 0 else None, step


def to_front(builder: Builder, x: Operand, axis: int) -> Operand:
    """The value with an axis, a negative number, moved to the front."""
    ndim = builder.spec(x).ndim
    axes = (axis, *(k for k in range(-ndim, 0) if k != axis))
    return x if axis == -ndim else builder.emit(transpose, x, axes=axes)


def from_front(builder: Builder, x: Operand, axis: int) -> Operand:
    """The value with its first axis moved to where ``axis`` is then, a negative number."""
    ndim = builder.spec(x).ndim
    axes = list(range(1 - ndim, 0))
    axes.insert(ndim + axis, -ndim)
    return x if axis == -ndim else builder.emit(transpose, x, axes=tuple(axes))


def as_spec(builder: Builder, value: Operand, own: Spec) -> Operand:
    """A value of the same shape and dtype as an array, a scalar or a Python number.

    Raises:
        StaysWrittenOut: if it is something else.
    """
    if builder.spec(value) == own:
        return value
    if isinstance(value, Literal) and own.kind == "scalar":
        return Literal(own.dtype.type(value.value))
    if own.kind == "python":
        value = builder.emit(python_number, value)
    elif builder.spec(value).kind == "python":
        value = builder.emit(cast, value, dtype=own.dtype)
    if own.kind != builder.spec(value).kind:
        value = builder.emit(slice_of, value, key=() if own.kind == "scalar" else (...,))
    if builder.spec(value) != own:
        raise StaysWrittenOut
    return value
