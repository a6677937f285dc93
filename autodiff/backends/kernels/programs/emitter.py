"""A tape as the lines of one kernel.

Operations are taken in their order. Small values live in variables, an element each; of larger ones the operations
gather in open loops (:mod:`nest`), one for each shape, which are written when somebody needs what they compute in
another place: then what is needed later goes to memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.forms import sub_specs
from autodiff.backends.kernels.programs.nest import Nest
from autodiff.backends.kernels.programs.values import (
    Awaited,
    Buffer,
    Element,
    Impossible,
    Parts,
    Pending,
    Registers,
    Shape,
    Value,
    numbers,
    objects,
    steps,
    text,
)
from autodiff.backends.kernels.scalars import DTYPES, cast, expression, unsupported
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Literal, Operand, Tape

Handler = Callable[["Scope", Equation], None]
HANDLERS: dict[str, Handler] = {}
"""What the operations that are not elementwise do, by the names of their primitives."""

BLOCK = 256
"""So many rows are done at a time, so that what is between two operations stays in cache."""

MOVES = {"slice_of", "slice_set", "slice_into", "reshape", "transpose", "roll", "diagonal"}

ALIGNMENT = 64
"""Bytes; where buffers begin."""


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Enter a function for the primitives of some names."""

    def enter(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return enter


class Emitter:
    """The lines of a kernel, and the memory that it works in.

    Args:
        registers: values of at most so many elements live in variables.
        unrolled: so many elements of the last axes do in loops over the others.
        rows: the length of an axis of which the kernel takes a block at a time; None if it takes everything at once.

    Attributes:
        totals: sums over that axis: their variables, what they begin with, and their dtypes.
    """

    def __init__(self, registers: int, unrolled: int, rows: int | None = None) -> None:
        self.registers, self.unrolled, self.rows = registers, unrolled, rows
        self.totals: list[tuple[str, str, np.dtype[Any]]] = []
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.memory = 0
        self.loops = 0
        self.open: dict[Shape, Nest] = {}
        self.writing: dict[str, list[Nest]] = {}
        self.checks = False

    def line(self, written: str) -> None:
        self.lines.append("    " * self.depth + written)

    def name(self, stem: str = "v") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def define(self, written: str) -> str:
        """The name of a new variable."""
        found = self.name()
        self.line(f"{found} = {written}")
        return found

    def allocate(self, shape: Shape, dtype: np.dtype[Any]) -> Buffer:
        """Room for a value in the memory of the kernel."""
        base = self.name("m")
        lengths = [BLOCK if length == self.rows else length for length in shape]
        strides = steps(lengths)
        place = str(self.memory)
        if self.rows in shape:
            place += f" - first * {strides[shape.index(self.rows)] * dtype.itemsize}"
        self.line(f"{base} = shifted(memory, {place})")
        size = prod(lengths) * dtype.itemsize
        self.memory += -(-max(size, 1) // ALIGNMENT) * ALIGNMENT
        return Buffer(base, shape, strides, 0, dtype)

    def loop(self, head: str) -> None:
        """Begin a loop or a branch."""
        self.flush()
        self.line(head)
        self.depth += 1
        self.loops += 1

    def end(self) -> None:
        self.flush()
        self.depth -= 1

    def split(self, shape: Shape) -> int:
        """How many leading axes of a value are loops: none where it is small."""
        if prod(shape) <= self.registers:
            return 0
        first = len(shape)
        while first > 1 and prod(shape[first - 1 :]) <= self.unrolled:
            first -= 1
        return first

    def nest(self, dims: Shape) -> Nest:
        found = self.open.get(dims)
        if found is None:
            found = self.open[dims] = Nest(dims, self.rows)
        return found

    def ready(self, buffer: Buffer) -> Buffer:
        """The buffer, once the loops that write to it are in the kernel."""
        for nest in self.writing.pop(buffer.base, ()):
            self.flush(nest)
        return buffer

    def flush(self, nest: Nest | None = None) -> None:
        """Write open loops: one nest, or all of them."""
        for own in [nest] if nest is not None else list(self.open.values()):
            if own.written:
                continue
            own.written = True
            if self.open.get(own.dims) is own:
                del self.open[own.dims]
            store_pending(self, own)
            for written in own.lines():
                self.line(written)
            self.loops += len(own.dims)


def store_pending(emitter: Emitter, nest: Nest) -> None:
    """Let the loops write to memory what is needed after them."""
    for (scope, slot), value in nest.pending.items():
        if scope.values.get(slot) is value and scope.needed(slot):
            target = scope.target(slot, value.shape, value.dtype)
            write(nest, target, value.elements)
            scope.values[slot] = target


def write(nest: Nest, target: Buffer, elements: np.ndarray, adding: bool = False) -> None:
    """A store of every element of the inner axes to the places of a buffer, or an addition to what is there."""
    depth = len(nest.dims)
    inner = target.shape[depth:]
    for index in product(*map(range, inner)):
        offset = target.offset + sum(k * s for k, s in zip(index, target.strides[depth:], strict=True))
        strides = tuple(
            0 if length == 1 else s for length, s in zip(target.shape[:depth], target.strides, strict=False)
        )
        value = text(elements[index], target.dtype)
        place = nest.place(offset, strides)
        if adding:
            value = f"load_{target.dtype}({target.base}, {place}) + {value}"
        nest.body.append(f"store_{target.dtype}({target.base}, {place}, {value})")


class Scope:
    """The values of one tape while it is emitted: the program, or the body of a loop or branch.

    Args:
        emitter: where lines go.
        tape: whose operations are emitted.
        values: of its inputs.
        targets: buffers for outputs.
    """

    def __init__(
        self, emitter: Emitter, tape: Tape, values: Sequence[Value], targets: dict[int, Buffer] | None = None
    ) -> None:
        self.emitter, self.tape = emitter, tape
        self.specs = tape.specs
        self.values: dict[int, Value] = dict(enumerate(values))
        self.targets = targets or {}
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

    def needed(self, slot: int) -> bool:
        """Whether something reads a value from now on."""
        return self.last.get(slot, -1) >= self.position

    def target(self, slot: int, shape: Shape, dtype: np.dtype[Any]) -> Buffer:
        """Where a value goes in memory: to the place of an output, or somewhere."""
        found = self.targets.pop(slot, None)
        return found if found is not None else self.emitter.allocate(shape, dtype)

    def run(self) -> None:
        """Emit all operations."""
        for number, equation in enumerate(self.tape.equations):
            self.position = number
            self.emit(equation)
        self.position = len(self.tape.equations)

    def emit(self, equation: Equation) -> None:
        for one in equation.specs:
            if one.dtype not in DTYPES:
                raise Impossible(f"{equation.primitive.name} gives {one.dtype.name}, which kernels do not know")
            if 0 in one.shape:
                raise Impossible("an array without elements")
            if self.emitter.rows in one.shape and one.shape.count(self.emitter.rows) > 1:
                raise Impossible("two axes as long as the one of which a block is done at a time")
        self.check_rows(equation)
        handler = HANDLERS.get(equation.primitive.name)
        if handler is not None:
            handler(self, equation)
        elif equation.primitive.family == "elementwise":
            self.elementwise(equation)
        else:
            raise Impossible(f"{equation.primitive.name} has no form in kernels")

    def check_rows(self, equation: Equation) -> None:
        """Refuse what mixes rows, of which the kernel sees a block at a time."""
        rows = self.emitter.rows
        if rows is None or not any(rows in self.spec(o).shape for o in equation.operands):
            return
        total = equation.primitive.name == "sum" and equation.specs[0].shape == ()
        carries_tapes = equation.primitive.name in ("scan", "while_loop", "switch")  # whose operations are looked at
        if not (total or carries_tapes) and any(rows not in s.shape for s in equation.specs):
            raise Impossible(f"{equation.primitive.name} mixes rows")
        if equation.primitive.name in MOVES:
            own, out = self.spec(equation.operands[0]).shape, equation.specs[0].shape
            if equation.primitive.name != "transpose" and (own[:1] != (rows,) or out[:1] != (rows,)):
                raise Impossible(f"{equation.primitive.name} of rows that are not the first axis")
            key = dict(equation.params).get("key", ())
            if len(key) >= len(own) and key and key[0] != (None, None, None):
                raise Impossible("a slice of rows")

    # Values.

    def spec(self, operand: Operand) -> Spec:
        if isinstance(operand, int):
            return self.extra if operand < 0 else self.specs[operand]
        return spec_of(operand.value)

    def value(self, operand: Operand) -> Value:
        """An operand where it is; literals are registers."""
        if not isinstance(operand, int):
            own = spec_of(operand.value)
            return Registers(numbers(operand.value, (), own.dtype), own.dtype)
        found = self.values[operand]
        if isinstance(found, Awaited):
            self.emitter.flush(found.nest)
            found = self.values[operand] = found.value
        if isinstance(found, Parts):
            found = self.values[operand] = self.put_together(operand, found)
        return found

    def settled(self, operand: Operand) -> Registers | Buffer:
        """An operand in variables or in memory."""
        found = self.value(operand)
        if isinstance(found, Pending):
            self.emitter.flush(found.nest)
            found = self.value(operand)
            assert not isinstance(found, (Pending, Awaited, Parts))
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
        self.lasts(slot, self.last.get(slot, -1))

    def lasts(self, slot: int, position: int) -> None:
        """Keep a value, and all that it is made of, until a position."""
        self.last[slot] = max(self.last.get(slot, -1), position)
        value = self.values.get(slot)
        if isinstance(value, Parts):
            for piece in (*(piece for _, piece in value.pieces), *(() if value.base is None else (value.base,))):
                self.lasts(piece, position)

    def elementwise(self, equation: Equation) -> None:
        if equation.primitive.name == "add" and self.added_parts(equation):
            return
        out = equation.specs[0]
        operands = sub_specs(equation.operands, dict(enumerate(self.specs)))
        reason = unsupported(equation.primitive.name, operands, out)
        if reason:
            raise Impossible(reason)

        def compute(elements: Sequence[Element]) -> str:
            given = [
                element if isinstance(own, Spec) and not isinstance(element, str) else own
                for element, own in zip(elements, operands, strict=True)
            ]
            return expression(equation.primitive.name, given, elements, equation.primitive.operands, out)

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
            name = self.emitter.name()
            nest.body.append(f"{name} = {compute([column[index] for column in columns])}")
            elements[index] = name
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
        elements = objects(inner)
        for index in product(*map(range, inner)):
            offset = value.offset + sum(k * s for k, s in zip(index, strides[depth:], strict=True))
            elements[index] = nest.load(value, offset, outer, self.emitter.name())
        return elements

    def copied(self, target: Buffer, operand: Operand, adding: bool = False) -> None:
        """Write an operand to a part of memory, or add it to what is there.

        The loops that do so stay open until somebody reads that memory.
        """
        shape = target.shape
        own = self.spec(operand).dtype
        emitter = self.emitter
        if prod(shape) <= emitter.registers:
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
        for other in emitter.writing.get(target.base, []):
            if other is not nest:
                emitter.flush(other)
        nest = emitter.nest(dims)
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


def as_array(buffer: Buffer) -> np.ndarray:
    """An array without memory of its own that has the shape and strides of a buffer, one byte an element."""
    return np.lib.stride_tricks.as_strided(np.empty(0, np.int8), buffer.shape, buffer.strides)


def viewed(buffer: Buffer, change: Callable[[np.ndarray], np.ndarray]) -> Buffer:
    """A buffer looked at in the way in which NumPy's views look at an array."""
    before = as_array(buffer)
    after = change(before)
    moved = after.__array_interface__["data"][0] - before.__array_interface__["data"][0]
    return Buffer(buffer.base, after.shape, after.strides, buffer.offset + moved, buffer.dtype)


def at(x: np.ndarray, key: tuple[Any, ...]) -> np.ndarray:
    """A part of an array as an array, also where it is one element."""
    return x[key if any(part is Ellipsis for part in key) else (*key, Ellipsis)]


def leading(shape: Shape, out: Shape, depth: int) -> Shape:
    """The lengths that a shape has along the first axes of one that it broadcasts to."""
    return (*(1,) * (len(out) - len(shape)), *shape)[:depth]
