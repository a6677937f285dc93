"""How cuBLAS reads stacks of matrices, and one product of them as one call: found from shapes and strides alone.

So it is found once for each kind of product. A call then looks up where its operands lie, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

MOST = (1 << 31) - 1
"""cuBLAS counts rows, columns, matrices and the steps between rows with 32 bits."""

Shape = tuple[int, ...]


class Stack(NamedTuple):
    """How cuBLAS reads a stack of matrices.

    Attributes:
        turned: whether the elements of a column lie side by side, not those of a row.
        pitch: elements from one row, or column, to the next one.
        step: elements from one matrix to the next one; None where several steps would be needed.
    """

    turned: bool
    pitch: int
    step: int | None


class Plan(NamedTuple):
    """One product as one call of cuBLAS, which counts columns first: the transposed product of transposed operands.

    Attributes:
        swapped: whether the operands change places, since the result is read by columns.
        first: how the left operand is read, with a step for each of several matrices.
        second: the right one.
        target: the result.
        rows: of the result.
        columns: of the result.
        inner: the length of the sums.
        matrices: so many products.
    """

    swapped: bool
    first: Stack
    second: Stack
    target: Stack
    rows: int
    columns: int
    inner: int
    matrices: int


def stack_of(shape: Sequence[int], strides: Sequence[int], lead: Sequence[int]) -> Stack | None:
    """How cuBLAS reads an array; None where neither rows nor columns lie together, or too far from each other.

    Args:
        shape: of the array.
        strides: of the array, in elements.
        lead: the leading axes of the stack, to which its own are broadcast.
    """
    (rows, columns), (down, right) = shape[-2:], strides[-2:]
    if (right == 1 or columns == 1) and (down >= columns or rows == 1):
        turned, pitch = False, down if rows > 1 else columns
    elif (down == 1 or rows == 1) and (right >= rows or columns == 1):
        turned, pitch = True, right if columns > 1 else rows
    else:
        return None
    return None if pitch > MOST else Stack(turned, pitch, common_step(shape[:-2], strides[:-2], lead))


def common_step(shape: Sequence[int], strides: Sequence[int], lead: Sequence[int]) -> int | None:
    """The one step that leads through all leading axes; None where there is none."""
    absent = len(lead) - len(shape)
    found, expected = 0, None
    for axis in reversed(range(len(lead))):
        if lead[axis] == 1:
            continue
        broadcast = axis < absent or shape[axis - absent] == 1
        step = 0 if broadcast else strides[axis - absent]
        if expected is None:
            found = step
        elif step != expected:
            return None
        expected = step * lead[axis]
    return found if found >= 0 else None


@lru_cache(maxsize=4096)
def known_plan(
    x: Shape, x_strides: Shape, y: Shape, y_strides: Shape, out: Shape, out_strides: Shape, size: int, out_size: int
) -> Plan | None:
    """The one call that computes a product, as :func:`plan_of` finds it, with strides in bytes.

    Args:
        x: the shape of the left operand.
        x_strides: its strides.
        y: the shape of the right operand.
        y_strides: its strides.
        out: the shape of the result.
        out_strides: its strides.
        size: the bytes of an element of the operands.
        out_size: those of one of the result.
    """
    steps = [tuple(stride // size for stride in strides) for strides in (x_strides, y_strides)]
    return plan_of(x, steps[0], y, steps[1], out, tuple(stride // out_size for stride in out_strides))


def plan_of(
    x: Shape, x_strides: Shape, y: Shape, y_strides: Shape, out: Shape, out_strides: Shape, swapped: bool = False
) -> Plan | None:
    """The one call that computes a product where everything lies; None where there is none.

    Args:
        x: the shape of the left operand.
        x_strides: its strides, in elements, like all others.
        y: the shape of the right operand.
        y_strides: its strides.
        out: the shape of the result.
        out_strides: its strides.
        swapped: whether the operands have changed places.
    """
    while out[:-2] and x[:-2] and x[-3] == out[-3] and (not y[:-2] or y[-3] == 1):
        if out[-3] * out[-2] > MOST or not (follow(x, x_strides) and follow(out, out_strides)):
            break
        (x, x_strides), (out, out_strides) = rows_together(x, x_strides), rows_together(out, out_strides)
        y, y_strides = (*y[:-3], *y[-2:]), (*y_strides[:-3], *y_strides[-2:])
    lead, (rows, columns), inner = out[:-2], out[-2:], x[-1]
    target = stack_of(out, out_strides, lead)
    if target is None or max(rows, columns, inner, prod(lead)) > MOST:
        return None
    if target.turned:
        left, right = (turned(y), turned(y_strides)), (turned(x), turned(x_strides))
        return plan_of(*left, *right, turned(out), turned(out_strides), not swapped)
    first, second = stack_of(x, x_strides, lead), stack_of(y, y_strides, lead)
    if first is None or second is None or None in (first.step, second.step, target.step):
        return None
    return Plan(swapped, first, second, target, rows, columns, inner, prod(lead))


def turned(lengths: Shape) -> Shape:
    """A shape, or strides, of transposed matrices."""
    return *lengths[:-2], lengths[-1], lengths[-2]


def follow(shape: Shape, strides: Shape) -> bool:
    """Whether the rows of the next matrix of a stack follow those of each one in the same steps."""
    return shape[-2] == 1 or shape[-3] == 1 or strides[-3] == shape[-2] * strides[-2]


def rows_together(shape: Shape, strides: Shape) -> tuple[Shape, Shape]:
    """The shape and strides of a stack with the rows of several matrices as those of one."""
    step = strides[-3] if shape[-2] == 1 else strides[-2]
    return (*shape[:-3], shape[-3] * shape[-2], shape[-1]), (*strides[:-3], step, strides[-1])
