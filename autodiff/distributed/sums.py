"""Sums over processes, in an order that does not depend on who comes first.

Each process adds up one part of all arrays, in the order of ranks, and gives it to all. On several machines with equal
numbers of processes, those of a machine add up their arrays first, and then machines are added in their order: all that
crosses between two machines are sums, once, rather than the array of each process.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from autodiff.distributed.group import Group, Lines
from autodiff.distributed.messages import Call, Steps, as_bytes, waited_for
from autodiff.distributed.packing import new

GATHERED = 1 << 19
"""Sums of arrays that have no more bytes in all processes together are made in each of them."""


def summed(comm: Group, x: Any, call: Call) -> Any:
    """The sum of the arrays of all processes."""
    return waited_for(comm, summing(comm.lines, x), call)


def summing(lines: Lines, x: Any) -> Steps:
    """The same, step by step. Of small arrays all get all, which is one message less."""
    mpi, inside, across = lines
    if mpi.size * x.nbytes <= GATHERED:
        stack = new((mpi.size, *x.shape), x.dtype)
        yield mpi.Iallgather(as_bytes(x), as_bytes(stack))
        return total(stack)
    first = mpi if inside is None else inside
    part = yield from adding_own_part(first, x.reshape(-1))
    if across is not None:
        own = yield from adding_own_part(across, part)
        part = yield from gathering_parts(across, own, part.shape)
    return (yield from gathering_parts(first, part, x.shape))


def adding_own_part(mpi: Any, x: Any) -> Steps:
    """The sum of one part of the vectors of some processes: that of this process."""
    sizes, places = parts_of(x.size, mpi.size, x.dtype.itemsize)
    own = sizes[mpi.rank]
    parts = new((mpi.size, own), np.uint8)
    received = [parts.reshape(-1), ([own] * mpi.size, [k * own for k in range(mpi.size)]), "B"]
    yield mpi.Ialltoallv([as_bytes(x), (sizes, places), "B"], received)
    return total(parts.view(x.dtype)) if own else np.empty(0, x.dtype)


def gathering_parts(mpi: Any, part: Any, shape: tuple[int, ...]) -> Steps:
    """The array of some shape of which each process has a part."""
    out = new(shape, part.dtype)
    sizes, places = parts_of(out.size, mpi.size, out.itemsize)
    yield mpi.Iallgatherv([as_bytes(part), "B"], [as_bytes(out), (sizes, places), "B"])
    return out


def parts_of(count: int, size: int, itemsize: int) -> tuple[list[int], list[int]]:
    """The bytes of each of so many parts of so many elements, and where they begin."""
    bounds = [count * k // size for k in range(size + 1)]
    return [itemsize * (b - a) for a, b in pairwise(bounds)], [itemsize * a for a in bounds[:-1]]


def total(stack: Any) -> Any:
    """The sum of the rows, one after the other; halves are added as float32."""
    half = stack.dtype.itemsize == 2 and stack.dtype.kind in "fV"
    if half or len(stack) == 1:
        out, others = stack[0].astype(np.float32 if half else stack.dtype), stack[1:]
    else:
        out, others = np.add(stack[0], stack[1], out=new(stack.shape[1:], stack.dtype)), stack[2:]
    for row in others:
        out += row.astype(np.float32) if half else row
    return out.astype(stack.dtype) if half else out
