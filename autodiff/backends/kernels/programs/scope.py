"""The values of a tape while its operations are emitted, and what elementwise operations do to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.forms import sub_specs
from autodiff.backends.kernels.programs.axes import Axes, Kin, broadcasting
from autodiff.backends.kernels.programs.emitter import Emitter, write
from autodiff.backends.kernels.programs.nest import Nest
from autodiff.backends.kernels.programs.storage import (
    Buffer,
    Element,
    Impossible,
    Registers,
    Shape,
    numbers,
    objects,
    text,
)
from autodiff.backends.kernels.programs.values import Awaited, Parts, Pending, Row, Value, Values, last_of_sums
from autodiff.backends.kernels.programs.views import at, leading, viewed
from autodiff.backends.kernels.scalars import DTYPES, WORD, cast, expression, unsupported
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Literal, Operand, Tape

Handler = Callable[["Scope", Equation], None]
HANDLERS: dict[str, Handler] = {}
"""What the operations that are not elementwise do, by the names of their primitives."""

KIN: dict[str, Kin] = {}
"""Which axes of their operands and results go along; they mix the others."""

INDEX = np.dtype(np.int64)
"""In which dtype places are computed."""

RESHAPED = {"slice_of", "slice_set", "slice_into", "reshape"}
"""Operations that need the rows of a block to be the first axis: others have other strides in a block."""


def handles(*names: str, kin: Kin | None = None) -> Callable[[Handler], Handler]:
    """Enter a function for the primitives of some names, with what notes the axes that go along."""

    def enter(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
            if kin is not None:
                KIN[name] = kin
        return handler

    return enter


def refuse_mixed_rows(tape: Tape, rows: int) -> None:
    """See to it that a program does the same to every row, whichever others there are.

    Args:
        tape: the program.
        rows: how many there are: the length of an axis.

    Raises:
        Impossible: if an operation mixes them, or another axis is as long.
    """

    def kin(equation: Equation) -> Kin | None:
        elementwise = equation.primitive.family == "elementwise"
        return KIN.get(equation.primitive.name, broadcasting if elementwise else None)

    Axes(tape, kin).refuse_other_rows(rows)


PASSING = {"random_numbers", "scan", "switch", "while_loop"}
"""Operations that hand words of random states on, or draw from them, beside values of other dtypes."""


class Scope:
    """The values of one tape while it is emitted: the program, or the body of a loop or branch.

    Args:
        emitter: where lines go.
        tape: whose operations are emitted.
        values: of its inputs.
        targets: buffers for outputs.
        looped: whether it is in the body of a loop.

    Attributes:
        own: the addresses of memory that nobody but these values sees: what goes round the loop, and what was copied
            to be written over.
    """

    def __init__(
        self,
        emitter: Emitter,
        tape: Tape,
        values: Sequence[Value],
        targets: dict[int, Buffer] | None = None,
        looped: bool = False,
    ) -> None:
        self.emitter, self.tape, self.looped = emitter, tape, looped
        self.specs = tape.specs
        self.values = Values(values)
        self.targets = targets or {}
        self.own: set[str] = set()
        self.extra = spec_of(0)  # of a value that has no slot
        self.position = 0
        self.last: dict[int, int] = {}
        for number, equation in enumerate(tape.equations):
            for operand in equation.operands:
                if isinstance(operand, int):
                    self.last[operand] = number
        for out in tape.outputs:
            if isinstance(out, int):
                self.last[out] = len(tape.equations)
        self.sums_last = last_of_sums(tape, self.last)

    def needed(self, slot: int) -> bool:
        """Whether something reads a value from now on."""
        return self.last.get(slot, -1) >= self.position

    def target(self, slot: int, shape: Shape, dtype: np.dtype[Any]) -> Buffer:
        """Where a value goes in memory: to the place of an output, or somewhere."""
        found = self.targets.pop(slot, None)
        return found if found is not None else self.emitter.allocate(shape, dtype)

    def updated(self, slot: int, operand: Operand) -> Buffer:
        """A value in memory that may be written over: where it is if nobody looks at it again, else a copy."""
        found = self.settled(operand)
        if isinstance(found, Buffer) and slot not in self.targets and self.overwritable(found):
            self.emitter.flush()
            return self.emitter.ready(found)
        own = self.spec(operand)
        target = self.target(slot, own.shape, own.dtype)
        self.copied(target, operand)
        self.own.add(target.base)
        return self.emitter.ready(target)

    def apart(self, operand: Operand, target: Buffer) -> Operand:
        """An operand that is not in memory that is about to be written to."""
        found = self.settled(operand)
        if isinstance(operand, int) and isinstance(found, Buffer) and found.base == target.base:
            again = self.emitter.allocate(found.shape, found.dtype)
            self.copied(again, operand)
            self.values[operand] = self.emitter.ready(again)
        return operand

    def overwritable(self, value: Buffer) -> bool:
        """Whether each element has its own place, and no other value in that memory is read after this operation."""
        if value.base not in self.own or not value.distinct:
            return False
        return not self.values.read_after(value.base, self.position, self.last)

    def run(self, look: Callable[[], None] = lambda: None) -> None:
        """Emit all operations; after each one somebody may look at what is there.

        Raises:
            Impossible: if one of them has no form in kernels, with its position.
        """
        for number, equation in enumerate(self.tape.equations):
            self.position = number
            try:
                self.emit(equation)
            except Impossible as reason:
                if reason.equation is None:
                    reason.equation, reason.looped = equation, self.looped
                reason.position = number  # the outermost tape's is left in the end
                raise
            look()
        self.position = len(self.tape.equations)

    def emit(self, equation: Equation) -> None:
        if id(equation) in self.emitter.outside:
            self.emitter.call_out(self, equation)
            return
        for one in equation.specs:
            if one.dtype not in DTYPES and one.dtype != WORD:
                raise Impossible(f"{equation.primitive.name} gives {one.dtype.name}, which kernels do not know")
            if 0 in one.shape:
                raise Impossible("an array without elements")
        self.refuse_numbers_of_words(equation)
        self.refuse_other_strides(equation)
        handler = HANDLERS.get(equation.primitive.name)
        if handler is not None:
            handler(self, equation)
        elif equation.primitive.family == "elementwise":
            self.elementwise(equation)
        else:
            raise Impossible(f"{equation.primitive.name} has no form in kernels")

    def refuse_numbers_of_words(self, equation: Equation) -> None:
        """Refuse whatever computes with words of random states, which kernels have with a sign."""
        name, given = equation.primitive.name, [self.spec(operand).dtype for operand in equation.operands]
        made = [one.dtype for one in equation.specs]
        if name in PASSING or WORD not in (*given, *made):
            return
        copied = equation.primitive.facts.copies
        places = () if copied is None else range(*copied.indices(len(given)))
        beside = [dtype for k, dtype in enumerate(given) if k not in places]
        if not places or WORD in beside or {*made, *(given[k] for k in places)} != {WORD}:
            raise Impossible(f"{name} of {WORD.name}, which kernels only move")

    def refuse_other_strides(self, equation: Equation) -> None:
        """Refuse what looks at memory in another way, where a block of rows has other strides than the whole."""
        rows = self.emitter.rows
        if rows is not None and equation.primitive.name in RESHAPED:
            shapes = [self.spec(o).shape for o in equation.operands] + [s.shape for s in equation.specs]
            if any(rows in shape[1:] for shape in shapes):
                raise Impossible(f"{equation.primitive.name} of rows that are not the first axis")

    # Values.

    def spec(self, operand: Operand) -> Spec:
        if isinstance(operand, int):
            return self.extra if operand < 0 else self.specs[operand]
        return spec_of(operand.value)

    def value(self, operand: Operand) -> Value:
        """An operand where it is; literals are registers."""
        if not isinstance(operand, int):
            own = spec_of(operand.value)
            if type(operand.value) is int and not -(2**63) <= operand.value < 2**63:
                return Registers(numbers(float(operand.value), (), np.dtype(float)), np.dtype(float))
            return Registers(numbers(operand.value, (), own.dtype), own.dtype)
        found = self.values[operand]
        if isinstance(found, Awaited):
            self.emitter.flush(found.nest)
            found = self.values[operand] = found.value
        if isinstance(found, Parts):
            found = self.values[operand] = self.put_together(operand, found)
        if isinstance(found, Row):
            target = self.target(operand, found.shape, found.dtype)
            self.copied(target, Literal(found.dtype.type(0)))
            found = self.values[operand] = self.with_row(target, found)
        return found

    def settled(self, operand: Operand) -> Registers | Buffer:
        """An operand in variables or in memory."""
        found = self.value(operand)
        if isinstance(found, Pending):
            self.emitter.flush(found.nest)
            found = self.value(operand)
            assert not isinstance(found, (Pending, Awaited, Parts, Row))
        return found  # type: ignore[return-value]

    def buffer(self, operand: Operand) -> Buffer:
        """An operand in memory."""
        found = self.settled(operand)
        if isinstance(found, Buffer):
            return self.emitter.ready(found)
        stored = self.spilled(found)
        if isinstance(operand, int):
            self.values[operand] = stored
        return stored

    def spilled(self, value: Registers) -> Buffer:
        """Variables written to memory."""
        found = self.emitter.allocate(value.shape, value.dtype)
        for number, index in enumerate(product(*map(range, value.shape))):
            element = text(value.elements[index], value.dtype)
            self.emitter.line(f"store_{value.dtype}({found.base}, {number}, {element})")
        return found

    def registers(self, operand: Operand) -> Registers:
        """An operand in variables."""
        found = self.settled(operand)
        if isinstance(found, Registers):
            return found
        loaded = self.loaded(found)
        if isinstance(operand, int):
            self.values[operand] = loaded
        return loaded

    def loaded(self, value: Buffer) -> Registers:
        """A value in memory read into variables."""
        elements = objects(value.shape)
        self.emitter.ready(value)
        for index in product(*map(range, value.shape)):
            offset = value.offset + sum(k * s for k, s in zip(index, value.strides, strict=True))
            elements[index] = self.emitter.define(f"load_{value.dtype}({value.base}, {offset})")
        return Registers(elements, value.dtype)

    def keep(self, equation: Equation, *values: Value) -> None:
        """Note the results of an operation."""
        for slot, value in zip(equation.results, values, strict=True):
            self.values[slot] = value
            if isinstance(value, Pending):
                value.nest.pending[self, slot] = value

    # Elementwise operations.

    def added_parts(self, equation: Equation) -> bool:
        """Whether a sum of parts, or of a value and parts, could stay one."""
        out = equation.specs[0]
        found = [self.values.get(o) if isinstance(o, int) else None for o in equation.operands]
        parts = [value for value in found if isinstance(value, Parts)]
        given = [self.spec(o) for o in equation.operands]
        if not parts or any((own.shape, own.dtype) != (out.shape, out.dtype) for own in given):
            return False
        if len(parts) == 2:
            if parts[0].base is not None and parts[1].base is not None:
                return False
            base = parts[0].base if parts[0].base is not None else parts[1].base
            pieces = parts[0].pieces + parts[1].pieces
        else:
            (other,) = (o for o, value in zip(equation.operands, found, strict=True) if not isinstance(value, Parts))
            if parts[0].base is not None or not isinstance(other, int):
                return False
            base = other
            pieces = parts[0].pieces
        self.keep_parts(equation, base, pieces)
        return True

    def keep_parts(self, equation: Equation, base: int | None, pieces: tuple[tuple[tuple[Any, ...], int], ...]) -> None:
        """Note a result in parts; what it is made of stays for as long as it is needed."""
        (slot,), (out,) = equation.results, equation.specs
        self.values[slot] = Parts(out.shape, out.dtype, base, pieces)
        until = self.sums_last.get(slot, -1)
        for operand in equation.operands:
            if isinstance(operand, int):
                stays = isinstance(self.values.get(operand), Parts) and self.sums_last.get(operand, -1) >= until
                if not stays:  # else its parts do already: there may be many, at each sum
                    self.lasts(operand, until)

    def keep_row(self, equation: Equation, index: int, row: int) -> None:
        """Note zeros with one row."""
        (slot,), (out,) = equation.results, equation.specs
        self.values[slot] = Row(out.shape, out.dtype, index, row)
        self.lasts(slot, self.last.get(slot, -1))

    def added_row(self, equation: Equation) -> bool:
        """Whether a sum was one row added to a value, which may be done where that is."""
        out = equation.specs[0]
        for one, other in (equation.operands, equation.operands[::-1]):
            row, own = self.values.get(one) if isinstance(one, int) else None, self.spec(other)
            alike = own.shape == out.shape and own.dtype == out.dtype
            if isinstance(row, Row) and one != other and alike and row.dtype == out.dtype:
                self.keep(equation, self.with_row(self.updated(equation.results[0], other), row))
                return True
        return False

    def with_row(self, target: Buffer, row: Row) -> Buffer:
        """Add a row where its index says."""
        emitter = self.emitter
        place, value = self.registers(row.index), self.apart(row.row, target)
        emitter.ready(target)
        number = emitter.in_range(cast(text(place.elements.item(), place.dtype), place.dtype, INDEX), row.shape[0])
        base = emitter.define(f"shifted({target.base}, {number} * {target.strides[0] * target.dtype.itemsize})")
        rest, steps = target.shape[1:], target.strides[1:]
        first = (1,) * len(place.shape)
        self.copied(Buffer(base, (*first, *rest), (*first, *steps), target.offset, target.dtype), value, True)
        emitter.flush()
        return target

    def lasts(self, slot: int, position: int) -> None:
        """Keep a value, and all that it is made of, until a position."""
        self.last[slot] = max(self.last.get(slot, -1), position)
        value = self.values.get(slot)
        if isinstance(value, Parts):
            for piece in (*(piece for _, piece in value.pieces), *(() if value.base is None else (value.base,))):
                self.lasts(piece, position)
        if isinstance(value, Row):
            self.lasts(value.index, position)
            self.lasts(value.row, position)

    def elementwise(self, equation: Equation) -> None:
        if equation.primitive.name == "add" and (self.added_row(equation) or self.added_parts(equation)):
            return
        out = equation.specs[0]
        operands = sub_specs(equation.operands, self.specs)
        reason = unsupported(equation.primitive, operands, out)
        if reason:
            raise Impossible(reason)

        def compute(elements: Sequence[Element]) -> str:
            given = [
                element if isinstance(own, Spec) and not isinstance(element, str) else own
                for element, own in zip(elements, operands, strict=True)
            ]
            return expression(equation.primitive, given, elements, out)

        self.keep(equation, self.mapped(equation.operands, out.shape, out.dtype, compute))

    def mapped(
        self,
        operands: Sequence[Operand],
        shape: Shape,
        dtype: np.dtype[Any],
        compute: Callable[[Sequence[Element]], str],
    ) -> Value:
        """What a function of elements gives for operands that broadcast to a shape."""
        depth = self.emitter.split(shape)
        if not depth:
            columns = [np.broadcast_to(self.registers(o).elements, shape) for o in operands]
            elements = objects(shape)
            for index in product(*map(range, shape)):
                elements[index] = self.emitter.define(compute([column[index] for column in columns]))
            return Registers(elements, dtype)
        dims, inner = shape[:depth], shape[depth:]
        for operand in operands:
            self.prepare(operand, shape, dims)
        nest = self.emitter.nest(dims)
        columns = [np.broadcast_to(self.fetched(o, nest, shape), inner) for o in operands]
        elements = objects(inner)
        for index in product(*map(range, inner)):
            elements[index] = self.emitter.name()
            nest.body.append(f"{elements[index]} = {compute([column[index] for column in columns])}")
        names = list(elements.flat)
        first = f"{names[0]} = {compute([column.flat[0] for column in columns])}"
        nest.flat.computed(names, [list(column.flat) for column in columns], first)
        return Pending(nest, elements, shape, dtype)

    def prepare(self, operand: Operand, shape: Shape, dims: Shape) -> None:
        """See to it that loops over the leading axes of a shape can read an operand."""
        found = self.value(operand)
        if isinstance(found, Buffer):
            self.emitter.ready(found)
        elif isinstance(found, Pending):
            nest = self.emitter.open.get(dims)
            whole = found.shape[: len(dims)] == dims and len(found.shape) == len(shape)
            if found.nest is not nest or not whole:
                self.settled(operand)
        elif isinstance(found, Registers) and any(length != 1 for length in leading(found.shape, shape, len(dims))):
            self.buffer(operand)

    def fetched(self, operand: Operand, nest: Nest, shape: Shape) -> np.ndarray:
        """The elements of an operand in the innermost loop, over the inner axes."""
        found = self.value(operand)
        depth = len(nest.dims)
        if isinstance(found, Pending):
            return found.elements
        if isinstance(found, Registers):
            own = found.elements
            return own.reshape((1,) * (len(shape) - own.ndim) + own.shape).reshape(
                (*(1,) * (len(shape) - own.ndim), *own.shape)[depth:]
            )
        assert isinstance(found, Buffer)
        return self.loads(found, nest, shape)

    def loads(self, value: Buffer, nest: Nest, shape: Shape) -> np.ndarray:
        """The elements of a value in memory in the innermost loop."""
        depth, missing = len(nest.dims), len(shape) - len(value.shape)
        lengths, strides = (*(1,) * missing, *value.shape), (*(0,) * missing, *value.strides)
        outer = tuple(0 if length == 1 else s for length, s in zip(lengths[:depth], strides, strict=False))
        inner = lengths[depth:]
        places = np.full(inner, value.offset)
        for axis, (length, stride) in enumerate(zip(inner, strides[depth:], strict=True)):
            places += (np.arange(length) * stride).reshape((-1, *(1,) * (len(inner) - axis - 1)))
        return nest.loads(value, places, outer, self.emitter.name)

    def copied(self, target: Buffer, operand: Operand, adding: bool = False) -> None:
        """Write an operand to a part of memory, or add it to what is there.

        The loops that do so stay open until somebody reads that memory.
        """
        shape = target.shape
        own = self.spec(operand).dtype
        emitter = self.emitter
        if emitter.small(prod(shape)):
            emitter.ready(target)
            column = np.broadcast_to(self.registers(operand).elements, shape)
            for index in product(*map(range, shape)):
                offset = target.offset + sum(k * s for k, s in zip(index, target.strides, strict=True))
                element = cast(text(column[index], own), own, target.dtype)
                if adding:
                    element = f"load_{target.dtype}({target.base}, {offset}) + {element}"
                emitter.line(f"store_{target.dtype}({target.base}, {offset}, {element})")
            return
        depth = emitter.split(shape)
        dims = shape[:depth]
        self.prepare(operand, shape, dims)
        nest = emitter.nest(dims)
        strides = target.strides[:depth]
        for other in emitter.writing.get(target.base, []):
            if other is not nest or other.targets.get(target.base) != strides:  # one round would write what others have
                emitter.flush(other)
        nest = emitter.nest(dims)
        nest.targets[target.base] = strides
        column = np.broadcast_to(self.fetched(operand, nest, shape), shape[depth:])
        elements = objects(shape[depth:])
        for index in product(*map(range, shape[depth:])):
            elements[index] = cast(text(column[index], own), own, target.dtype)
        write(nest, target, elements, adding)
        emitter.writing[target.base] = [nest]

    def put_together(self, slot: int, parts: Parts) -> Value:
        """The value of parts in memory."""
        target = self.target(slot, parts.shape, parts.dtype)
        whole = parts.base is None and parts.whole
        if not whole:
            self.copied(target, Literal(parts.dtype.type(0)) if parts.base is None else parts.base)
        adding = not whole and (parts.base is not None or not parts.apart)
        self.add_parts(target, parts, adding)
        return target

    def add_parts(self, target: Buffer, parts: Parts, adding: bool = True) -> None:
        """Write parts to memory, or add them to what is there."""
        for key, piece in parts.pieces:
            self.copied(viewed(target, lambda x, key=key: at(x, key)), piece, adding)  # type: ignore[misc]
