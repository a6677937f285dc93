"""Rows of an array that is filled row by row are read where they were written.

``u[k + 1] = step(u[k])`` makes a new array in each step, and so does its reverse mode, which reads a row of the
cotangent, takes it out, and adds to the row before. What is read of such arrays is a row with few writes, so that no
step waits for the whole array: it is needed once, after all of them. All bits are kept, but for the signs of zeros to
which zeros were added.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.backends.passes.rolling.repetitions import STEPS
from autodiff.backends.passes.rolling.stacks import StaysWrittenOut, as_spec, from_front, key_of
from autodiff.ops.elementwise import add
from autodiff.ops.index import slice_into, slice_of, slice_set
from autodiff.ops.join import WHOLE, stack
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import result_spec
from autodiff.trace.tape import Equation, Operand, Tape

Key = tuple[Any, ...]

MOST_ROWS = 1 << 15
"""An array of so many rows is put together of them."""


@dataclass
class Write:
    """What an operation does to one row of an array.

    Attributes:
        time: of the array after it, in the history of the array.
        key: which part of the row.
        value: what is written or added.
        adds: whether it is added.
        row: the row after it; None while nobody has asked.
    """

    time: int
    key: Key
    value: Operand
    adds: bool
    row: Operand | None = None


@dataclass
class History:
    """An array and what was written to its rows, one write after the other.

    Attributes:
        base: the array before all writes.
        axis: along which the rows are, as a negative number.
        now: the array after the last write.
        times: for each array since then how many writes it has.
        rows: for each row the writes to it.
    """

    base: Operand
    axis: int
    now: Operand
    times: dict[Operand, int] = field(default_factory=dict)
    rows: dict[int, list[Write]] = field(default_factory=dict)


def write_of(builder: Builder, x: Operand) -> tuple[Operand, Key, Operand, bool] | None:
    """The array before, the key, the value, and whether it is added, if an array is another one with one write."""
    made = builder.made(x, "slice_set", "add")
    if made is None:
        return None
    if made.primitive is slice_set:
        before, value = made.operands
        return before, dict(made.params)["key"], value, False
    for part, before in (made.operands, made.operands[::-1]):
        placed = builder.made(part, "slice_into")
        if placed is not None and builder.spec(before) == builder.spec(x):
            return before, dict(placed.params)["key"], placed.operands[0], True
    return None


def row_axis(key: Key) -> int | None:
    """The axis of the first integer of a key that is made of integers and slices; None if there is none."""
    if not all(type(part) in (int, tuple) for part in key):
        return None
    return next((k - len(key) for k, part in enumerate(key) if type(part) is int), None)


def split(key: Key, axis: int) -> tuple[int, Key] | None:
    """The row that a key is about, and the key of what it takes of that; None if it is not about one row."""
    taken = 0
    for k in range(len(key) - 1, -1, -1):
        taken += isinstance(key[k], (int, tuple))
        if taken == -axis and isinstance(key[k], (int, tuple)):
            return (key[k], (*key[:k], *key[k + 1 :])) if type(key[k]) is int else None
    return None


def history_of(builder: Builder, x: Operand) -> History | None:
    """The history of an array to which rows were written; None if nothing was."""
    known: dict[Operand, History] = builder.notes.setdefault(history_of, {})
    writes = []
    at = x
    while at not in known and (write := write_of(builder, at)) is not None:
        writes.append((at, write))
        at = write[0]
    history = known.get(at)
    for after, (before, key, value, adds) in reversed(writes):
        axis = row_axis(key)
        if axis is None:
            history = None
            continue
        own = None if history is None or history.now != before else split(key, history.axis)
        if history is None or own is None:
            history, own = History(before, axis, before, {before: 0}), split(key, axis)
        assert own is not None  # the axis is that of an integer of the key
        length = builder.spec(before).shape[history.axis]
        history.now = after
        history.times[after] = len(history.times)
        history.rows.setdefault(own[0] % length, []).append(Write(history.times[after], own[1], value, adds))
        known[after] = history
    return known.get(x)


def read_row(builder: Builder, equation: Equation) -> Operand | None:
    """slice_of(x, (k, ...)): of row k of what was there before all writes to x, with those that were made to it."""
    (x,) = equation.operands
    key = dict(equation.params)["key"]
    history = history_of(builder, x) if any(type(part) is int for part in key) else None
    own = None if history is None else split(key, history.axis)
    if history is None or own is None:
        return None
    k, rest = own[0] % builder.spec(x).shape[history.axis], own[1]
    try:
        row = row_after(builder, history, k, x)
    except StaysWrittenOut:
        return None
    if all(part == WHOLE for part in rest):
        return row
    return builder.emit(slice_of, row, key=rest)


def row_after(builder: Builder, history: History, k: int, x: Operand) -> Operand:
    """A row of an array.

    Raises:
        StaysWrittenOut: if what was written is no row.
    """
    writes = history.rows.get(k, [])
    writes = writes[: bisect_right(writes, history.times[x], key=lambda write: write.time)]
    first = next((n for n in range(len(writes), 0, -1) if writes[n - 1].row is not None), 0)
    whole = builder.spec(history.base)
    own = result_spec((*whole.shape[: history.axis], *whole.shape[len(whole.shape) + history.axis + 1 :]), whole.dtype)
    row = writes[first - 1].row if first else None
    for write in writes[first:]:
        full = all(part == WHOLE for part in write.key)
        if row is None and not (full and not write.adds):
            row = builder.emit(slice_of, history.base, key=key_of(history.axis, k))
        value = as_spec(builder, write.value, own) if full else write.value
        if not write.adds:
            row = value if full else builder.emit(slice_set, row, value, key=write.key)  # type: ignore[arg-type]
        else:
            part = value if full else builder.emit(slice_into, value, key=write.key, shape=own.shape)
            row = builder.emit(add, row, part)  # type: ignore[arg-type]
        write.row = row
    return builder.emit(slice_of, history.base, key=key_of(history.axis, k)) if row is None else row


def writes(builder: Builder, primitive: Primitive, operands: Sequence[Operand]) -> bool:
    """Whether an operation makes an array that differs from another one in what it writes to a part of it."""
    if primitive is add:
        return any(builder.made(o, "slice_into") is not None for o in operands)
    return primitive is slice_set


def stack_of(builder: Builder, x: Operand) -> Operand:
    """An array as the stack of its rows, if most of them were written; itself otherwise."""
    history = history_of(builder, x) if builder.made(x, "slice_set", "add") else None
    if history is None:
        return x
    known: dict[Operand, Operand] = builder.notes.setdefault(stack_of, {})
    length = builder.spec(x).shape[history.axis]
    count = len(history.rows)
    if x not in known and max(STEPS, length / 2) <= count and length <= MOST_ROWS:
        try:
            rows = [row_after(builder, history, k, x) for k in range(length)]
            stacked = builder.emit(stack, *rows, axis=-builder.spec(x).ndim)
            found = from_front(builder, stacked, history.axis)
        except StaysWrittenOut:
            found = x
        known[x] = found if builder.spec(found) == builder.spec(x) else x
    return known.get(x, x)


READS: Rules = {"slice_of": (read_row,)}


def with_rows_read(tape: Tape) -> Tape:
    """The tape with rows in the places of what is read of arrays that are filled row by row."""
    builder = Builder(tape.inputs, READS)
    now: list[Operand] = list(range(len(tape.inputs)))
    for equation in tape.equations:
        builder.source = equation.source
        operands = tuple(now[o] if isinstance(o, int) else o for o in equation.operands)
        if equation.primitive is not slice_of and not writes(builder, equation.primitive, operands):
            operands = tuple(stack_of(builder, o) for o in operands)
        now.extend(builder.place(equation.moved(operands, equation.results)))
    outputs = tuple(stack_of(builder, now[o]) if isinstance(o, int) else o for o in tape.outputs)
    return drop_dead(replace(tape, equations=tuple(builder.equations), outputs=outputs))
