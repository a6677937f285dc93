"""Points of a few coordinates: many of them are one array for each coordinate.

``x[:, None] - x`` of n points has a last axis of three numbers, along which kernels neither have vectors nor read side
by side. Where the arrays between few points and sums over their coordinates are large, each coordinate is an array of
its own, with the other axes: a sum over the last axis is a sum of three arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from autodiff.backends.kernels.folds import fold_of, reduces
from autodiff.backends.passes.rewrite.rewriting import Builder, in_bodies
from autodiff.ops.join import stack, unstack
from autodiff.ops.shape import broadcast_to, reshape, transpose
from autodiff.trace.primitive import PRIMITIVES, Primitive
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Operand, Tape

FEW = range(2, 9)
"""So many numbers are the coordinates of a point."""

LARGE = 1 << 10
"""Elements from which on an array is taken apart."""

TIMES = 4
"""So many times as large as what it is computed from, and what comes of it, an array is at least."""

Points = tuple[Operand, ...]
"""The coordinates of points, one array each."""


def coordinates_apart(tape: Tape) -> Tape:
    """The tape with one array for each coordinate of many points, and so the tapes that it carries."""
    tape = in_bodies(tape, coordinates_apart)
    many = worthwhile(tape)
    return Conversion(tape, many).run() if many else tape


def is_points(one: Spec) -> bool:
    """Whether a value may be points."""
    return one.kind == "array" and one.ndim > 1 and one.shape[-1] in FEW and one.dtype.kind in "fbiu"


def spec_at(tape: Tape, operand: Operand) -> Spec:
    """The spec of a slot or number."""
    return tape.specs[operand] if isinstance(operand, int) else spec_of(operand.value)


def linked(tape: Tape, equation: Equation) -> list[int] | None:
    """The points that an operation reads and gives, one coordinate as the other; None if it does something else."""
    name = equation.primitive.name
    out, given = equation.specs[0], [spec_at(tape, o) for o in equation.operands]
    slots = [o for o in equation.operands if isinstance(o, int) and is_points(tape.specs[o])]
    slots += [slot for slot, s in zip(equation.results, equation.specs, strict=True) if is_points(s)]
    if not slots or len(equation.specs) != 1:
        return None
    count = tape.specs[slots[0]].shape[-1]
    if equation.primitive.family == "elementwise":
        fits = is_points(out) and all(not s.shape or s.shape[-1] in (1, count) for s in given)
    elif name in ("reshape", "broadcast_to"):
        fits = is_points(out) and given[0].ndim > 1 and given[0].shape[-1] == out.shape[-1]
        fits = fits or (name == "broadcast_to" and is_points(out) and bool(given[0].shape) and given[0].shape[-1] == 1)
    elif name == "transpose":
        fits = is_points(given[0]) and dict(equation.params)["axes"][-1] in (-1, out.ndim - 1)
    else:
        fits = repeats(equation) and is_points(given[0]) and given[0].dtype == out.dtype and out.dtype.char in "fd"
    return slots if fits and all(tape.specs[slot].shape[-1] == count for slot in slots) else None


def repeats(equation: Equation) -> bool:
    """Whether an operation is a reduction in the dtype of its operand."""
    return reduces(equation) and equation.primitive.name != "sum_as"


def worthwhile(tape: Tape) -> set[int]:
    """The slots of many points: what reads or gives them does so for each coordinate."""
    leader: dict[int, int] = {}

    def top(slot: int) -> int:
        while leader.setdefault(slot, slot) != slot:
            slot = leader[slot]
        return slot

    border: set[int] = set(range(len(tape.inputs))) | {o for o in tape.outputs if isinstance(o, int)}
    reduced: set[int] = set()
    for equation in tape.equations:
        slots = linked(tape, equation)
        if slots is None:
            border.update(o for o in equation.operands if isinstance(o, int))
            border.update(equation.results)
            continue
        for slot in slots[1:]:
            leader[top(slot)] = top(slots[0])
        if repeats(equation) and over_coordinates(equation):
            reduced.add(slots[0])
    groups: dict[int, list[int]] = {}
    for slot in list(leader):
        groups.setdefault(top(slot), []).append(slot)
    for slot in border | reduced:
        if is_points(tape.specs[slot]):
            groups.setdefault(top(slot), [slot])
    found: set[int] = set()
    for slots in groups.values():
        largest = max(tape.specs[slot].size for slot in slots)
        outside = sum(tape.specs[slot].size for slot in slots if slot in border)
        if largest >= LARGE and largest >= TIMES * outside and not reduced.isdisjoint(slots):
            found.update(slot for slot in slots if TIMES * tape.specs[slot].size >= largest)
    return found


def over_coordinates(equation: Equation) -> bool:
    """Whether a reduction runs over the last axis."""
    return -1 in dict(equation.params)["axes"]


class Conversion:
    """The new tape in the making.

    Args:
        tape: the old one.
        chosen: its slots of many points.
    """

    def __init__(self, tape: Tape, chosen: set[int]) -> None:
        self.tape, self.chosen = tape, chosen
        self.builder = Builder(tape.inputs, {}, merge=True)
        self.whole: dict[int, Operand] = {slot: slot for slot in range(len(tape.inputs))}
        self.apart: dict[int, Points] = {}

    def run(self) -> Tape:
        for equation in self.tape.equations:
            self.builder.source = equation.source
            slots = linked(self.tape, equation)
            if slots is None or self.chosen.isdisjoint(slots):
                operands = tuple(self.one(o) for o in equation.operands)
                self.whole.update(zip(equation.results, self.builder.place(replace(equation, operands=operands))))
            else:
                self.convert(equation)
        outputs = tuple(self.one(o) for o in self.tape.outputs)
        return replace(self.tape, equations=tuple(self.builder.equations), outputs=outputs)

    def one(self, operand: Operand) -> Operand:
        """An operand as one array."""
        if not isinstance(operand, int):
            return operand
        if operand not in self.whole:
            self.whole[operand] = self.builder.emit(stack, *self.apart[operand], axis=-1)
        return self.whole[operand]

    def points(self, operand: Operand, count: int) -> Points:
        """The coordinates of an operand: those of points, or for each the value that all have."""
        own = spec_at(self.tape, operand)
        if not own.shape:
            return (self.one(operand),) * count
        if own.shape[-1] == 1:
            return (self.builder.emit(reshape, self.one(operand), shape=own.shape[:-1]),) * count
        assert isinstance(operand, int)
        if operand not in self.apart:
            made = unstack.spec(own, axis=-1)
            taken = Equation(unstack, (self.whole[operand],), (("axis", -1),), (), made, self.builder.source)
            self.apart[operand] = self.builder.place(taken)
        return self.apart[operand]

    def convert(self, equation: Equation) -> None:
        """An operation, done to each coordinate or over them."""
        (slot,), (out,), params = equation.results, equation.specs, dict(equation.params)
        name, first = equation.primitive.name, spec_at(self.tape, equation.operands[0])
        if repeats(equation):
            primitive = equation.primitive
            points = self.points(equation.operands[0], first.shape[-1])
            others = tuple(axis + 1 for axis in params["axes"] if axis != -1)
            if not over_coordinates(equation):
                self.apart[slot] = self.each(points, lambda x: self.reduced(primitive, x, others))
                return
            total = points[0]
            for point in points[1:]:
                total = self.builder.emit(PRIMITIVES[fold_of(equation).name], total, point)
            self.whole[slot] = self.reduced(primitive, total, others)
            return
        count = out.shape[-1]
        columns = [self.points(o, count) for o in equation.operands]
        if name == "reshape":
            self.apart[slot] = self.each(columns[0], lambda x: self.builder.emit(reshape, x, shape=out.shape[:-1]))
        elif name == "broadcast_to":
            self.apart[slot] = self.each(columns[0], lambda x: self.builder.emit(broadcast_to, x, shape=out.shape[:-1]))
        elif name == "transpose":
            axes = tuple(axis + 1 if axis < 0 else axis for axis in params["axes"][:-1])
            self.apart[slot] = self.each(columns[0], lambda x: self.builder.emit(transpose, x, axes=axes))
        else:
            found = [self.builder.emit(equation.primitive, *column, **params) for column in zip(*columns, strict=True)]
            self.apart[slot] = tuple(found)

    def each(self, points: Iterable[Operand], change: Callable[[Operand], Operand]) -> Points:
        return tuple(map(change, points))

    def reduced(self, primitive: Primitive, x: Operand, axes: tuple[int, ...]) -> Operand:
        """A reduction over further axes, if there are some."""
        return self.builder.emit(primitive, x, axes=axes) if axes else x
