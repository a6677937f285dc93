"""The arrays that a kernel of rows fills: its results, and memory to work in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from autodiff.backends.kernels.forms import COLUMN_TOTAL, TOTAL, Shape
from autodiff.backends.kernels.partition import shared
from autodiff.backends.kernels.rows.schedule import Argument
from autodiff.backends.kernels.rows.text import RowKernel
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Tape

Shared = tuple[tuple[int, int], ...]
"""Pairs of an output and the input in whose memory it lies."""


class RowMemory:
    """The arrays that are handed to a kernel of rows besides its inputs, in their order.

    Args:
        kernel: of rows.

    Attributes:
        share: how its rows are shared out.
        results: the results that are arrays, by their slots, but for those that lie in the memory of inputs. All of
            them are C-contiguous.
        parts: sums of parts that are put together afterwards, by the slots of their results.
        working: all memory to work in, sums of parts included: what it holds before and after does not matter.
        status: what says whether an index was out of range: zero before and after.
    """

    def __init__(self, kernel: RowKernel) -> None:
        self.share = shared(kernel.grid, kernel.tape)
        self.results: dict[int, Spec] = {}
        self.parts: dict[int, Spec] = {}
        scratch: list[Argument] = []
        for a in kernel.arguments:
            form = kernel.forms.get(a.slot)
            if a.role == "scratch":
                scratch.append(a)
            elif a.role in ("output", "partial"):
                if form != TOTAL:
                    self.results[a.slot] = kernel.specs[a.slot]
                if form == TOTAL:
                    self.parts[a.slot] = spec((self.share.parts,), a.dtype)
                elif form == COLUMN_TOTAL and self.share.parts > 1:
                    self.parts[a.slot] = spec((self.share.parts, kernel.grid.columns), a.dtype)
        self.working = (*self.parts.values(), *(spec((self.share.parts, a.value), a.dtype) for a in scratch))
        self.status = (spec((1,), np.int64),) if kernel.checks else ()
        results, parts = (f"out{slot}" for slot in self.results), (f"part{slot}" for slot in self.parts)
        self.names = (*results, *parts, *(a.name for a in scratch), *("status" for _ in self.status))

    def size(self, argument: Argument) -> int:
        """The elements of an array that is handed to the kernel."""
        own: dict[str, Spec] = dict(zip(self.names, (*self.results.values(), *self.working, *self.status), strict=True))
        return own[self.name(argument)].size

    def name(self, argument: Argument) -> str:
        """What a word of the kernel's block is called in the function around it."""
        return f"part{argument.slot}" if argument.role == "partial" and argument.slot in self.parts else argument.name


@lru_cache(maxsize=4096)
def row_kernel_of(tape: Tape, shape: Shape, pairs: Shared = ()) -> RowKernel:
    """The kernel of rows of a tape on a grid; nothing is compiled."""
    return RowKernel(tape, shape, pairs)


def row_memory(tape: Tape, shape: Shape, pairs: Sequence[tuple[int, int]] = ()) -> RowMemory:
    """What a kernel of rows fills."""
    return RowMemory(row_kernel_of(tape, shape, tuple(pairs)))
