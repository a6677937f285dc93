"""Sums over processes, in an order that does not depend on who comes first.

Each process adds up one part of all arrays, in the order of ranks, and gives it to all. On several machines with equal
numbers of processes, those of a machine add up their arrays first, and then machines are added in their order: all that
crosses between two machines are sums, once, rather than the array of each process.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff.distributed.calls import Call
from autodiff.distributed.exchanges import as_bytes, gathering_all, messages
from autodiff.distributed.group import Group, Lines
from autodiff.distributed.meetings import DIRECT, GATHERED
from autodiff.distributed.packing import LARGE, new, scaled
from autodiff.distributed.waiting import Steps, waited_for
from autodiff.distributed.windows import REGION, Window

BLOCK = 1 << 19
"""Bytes of all arrays together that are multiplied and added at once."""

Array = np.ndarray[Any, Any]

Weights = tuple[float, ...]
"""By what the arrays of processes are multiplied before they are added; empty for nothing."""


def summed(comm: Group, x: Any, call: Call, weights: Weights = (), reuse: bool = False) -> Any:
    """The sum of the arrays of all processes."""
    return waited_for(comm, summing(comm.lines, x, weights, reuse), call)


def summing(lines: Lines, x: Any, weights: Weights = (), reuse: bool = False) -> Steps:
    """The same, step by step. Of small arrays all get all, which is one message less.

    Args:
        lines: the communicators.
        x: the array of this process.
        weights: of all processes. Who adds multiplies: otherwise each process would go through its whole array before
            anything is sent.
        reuse: whether a large sum may be put where the array is, which nobody else has then.
    """
    mpi, inside, across, window = lines
    if weights and inside is not None:
        x, weights, reuse = scaled(x, weights[mpi.rank]), (), True
    if mpi.size * x.nbytes <= GATHERED:
        return (yield from adding_all(mpi, x, weights))
    first, flat = mpi if inside is None else inside, x.reshape(-1)
    out = flat if reuse and x.flags.c_contiguous else new(flat.shape, x.dtype)
    if window is not None:
        yield from adding_in_window(mpi, window, flat, out, weights)
        return out.reshape(x.shape)
    part = yield from adding_own_part(first, flat, out, weights)
    if across is not None:
        yield from adding_own_part(across, part, part)
        yield from gathering_parts(across, part)
    yield from gathering_parts(first, out)
    return out.reshape(x.shape)


def adding_all(mpi: Any, x: Any, weights: Weights = ()) -> Steps:
    """The sum of the arrays of some processes, each of which gets those of all."""
    if mpi.size > DIRECT:
        stack = new((mpi.size, *x.shape), x.dtype)
        yield gathering_all(mpi, x, stack)
        return total(stack, weights)
    rows = [x if k == mpi.rank else new(x.shape, x.dtype) for k in range(mpi.size)]
    yield messages(mpi, [x] * mpi.size, rows)
    return total(rows, weights)


def adding_in_window(mpi: Any, window: Window, x: Array, out: Array, weights: Weights = ()) -> Steps:
    """Put the sum of the vectors of processes that share memory into another one, which may be the vector itself.

    In each turn of some megabytes every process puts there what others add up; then it adds up its own part of all, and
    leaves the sum there; then it reads the sums of the others. Turns overlap, so that waiting once is enough for each.
    """
    first, length = window.shared.steps, REGION // x.itemsize
    turns = -(-x.size // length)

    def own(turn: int) -> tuple[slice, list[slice], list[Array]]:
        """The elements of a turn, the parts of them that each process adds up, and the regions of all processes."""
        elements = slice(turn * length, min((turn + 1) * length, x.size))
        count = elements.stop - elements.start
        regions = [window.region(rank, first + turn, count, x.dtype) for rank in range(mpi.size)]
        return elements, parts_of(count, mpi.size), regions

    def put(turn: int) -> None:
        elements, parts, regions = own(turn)
        for rank, part in enumerate(parts):
            if rank != mpi.rank:
                regions[mpi.rank][part] = x[elements][part]

    def add(turn: int) -> None:
        elements, parts, regions = own(turn)
        part = parts[mpi.rank]
        rows = [(x[elements] if rank == mpi.rank else region)[part] for rank, region in enumerate(regions)]
        regions[mpi.rank][part] = total(rows, weights, out[elements][part])

    def read(turn: int) -> None:
        elements, parts, regions = own(turn)
        for rank, part in enumerate(parts):
            if rank != mpi.rank:
                out[elements][part] = regions[rank][part]

    put(0)
    for turn in range(turns + 1):
        yield window.shared.arrive()
        if turn < turns:
            add(turn)
        if turn + 1 < turns:
            put(turn + 1)
        if turn:
            read(turn - 1)


def adding_own_part(mpi: Any, x: Any, out: Any, weights: Weights = ()) -> Steps:
    """Put the sum of one part of the vectors of some processes where it belongs, and return it: this process's part."""
    parts = parts_of(x.size, mpi.size)
    own = parts[mpi.rank]
    count = own.stop - own.start
    rows: Any
    if mpi.size <= DIRECT:
        rows = [x[own] if k == mpi.rank else new((count,), x.dtype) for k in range(mpi.size)]
        yield messages(mpi, [x[k] for k in parts], rows)
    else:
        rows = new((mpi.size, count), x.dtype)
        received = [as_bytes(rows), ([count * x.itemsize] * mpi.size, None), "B"]
        yield [mpi.Ialltoallv([as_bytes(x), in_bytes(parts, x.itemsize), "B"], received)]
    return total(rows, weights, out[own])


def gathering_parts(mpi: Any, x: Any) -> Steps:
    """Let all processes have all parts of a vector, of which each has one."""
    parts = parts_of(x.size, mpi.size)
    own = x[parts[mpi.rank]]
    if mpi.size <= DIRECT:
        yield messages(mpi, [own] * mpi.size, [x[k] for k in parts])
    else:
        place = sys.modules["mpi4py.MPI"].IN_PLACE
        yield [mpi.Iallgatherv(place, [as_bytes(x), in_bytes(parts, x.itemsize), "B"])]


def parts_of(count: int, size: int) -> list[slice]:
    """Which of so many elements each of so many processes adds up."""
    return [slice(a, b) for a, b in pairwise(count * k // size for k in range(size + 1))]


def in_bytes(parts: list[slice], itemsize: int) -> tuple[list[int], list[int]]:
    """The bytes of each part, and where they begin."""
    return [itemsize * (own.stop - own.start) for own in parts], [itemsize * own.start for own in parts]


def total(rows: Any, weights: Weights = (), out: Any = None) -> Any:
    """The sum of arrays, one after the other, each multiplied by its weight; halves are added as float32.

    Args:
        rows: the arrays.
        weights: by which they are multiplied; empty for nothing. A weight that all have is that of the sum.
        out: where the sum is put, which may be where one of the arrays is; a new array if None.
    """
    if out is None and rows[0].nbytes < LARGE:
        return sum_of(rows, weights)
    out = new(rows[0].shape, rows[0].dtype) if out is None else out
    whole, *flat = [array.reshape(-1) for array in (out, *rows)]
    size = BLOCK // (len(flat) * out.itemsize)
    for start in range(0, out.size, size):
        block = slice(start, start + size)
        sum_into(whole[block], [row[block] for row in flat], weights)
    return out


def sum_into(out: Array, rows: Sequence[Array], weights: Weights) -> None:
    """Put the sum of arrays that stay in cache into an array, which may be where one of them is."""
    if is_half(out) or len(set(weights)) > 1 or len(rows) == 1 or any(np.may_share_memory(out, x) for x in rows[2:]):
        out[...] = sum_of(rows, weights)
        return
    np.add(rows[0], rows[1], out=out)
    for row in rows[2:]:
        out += row
    if weights:
        out *= weights[0]


def is_half(array: Any) -> bool:
    """Whether an array is of numbers of 16 bits."""
    dtype = array.dtype
    return dtype.itemsize == 2 and dtype.kind in "fV"


def sum_of(rows: Any, weights: Weights = ()) -> Any:
    """The same as a new array."""
    if is_half(rows[0]):
        return sum_of([row.astype(np.float32) for row in rows], weights).astype(rows[0].dtype)
    common = weights[0] if weights and len(set(weights)) == 1 else None
    if weights and common is None:
        rows = [row * weight for row, weight in zip(rows, weights, strict=True)]
    found = rows[0] + rows[1] if len(rows) > 1 else rows[0].copy()
    for row in rows[2:]:
        found += row
    if common is not None:
        found *= common
    return found
