"""Kernels that add rows to the targets that indices name, in an order that is always the same, or in any.

Without care, the order in which terms are added depends on time, and so do the last bits of a sum. Here it does not,
unless that is asked for: the same program gives the same bits in every run, on every device. It costs little: few
entries are looked at by every target, in one launch, and in NumPy's order; more of them are sorted by their targets
first, which moves some words for an entry where the sum moves a row of it. Only where rows are single elements is
sorting most of the work; ``AUTODIFF_DETERMINISTIC=0`` adds with atomic operations then and everywhere else. Integers
are always added so: their sums know no order.
"""

from __future__ import annotations

import os
from math import prod

import numpy as np

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.sharing import SMALL, THREADS
from autodiff.backends.cupy.kernels.writing import Unsupported, Writing, element, integer, power_from, share
from autodiff.trace.source import at_user_line
from autodiff.trace.tape import Tape

VARIABLE = "AUTODIFF_DETERMINISTIC"

ALWAYS, LOOKED_AT, LOOKS = 16, 512, 1 << 26
"""So many entries every target looks at in any case; and so many if it is not more looks in all."""

RANKED = 4096
"""So many entries find their ranks by looking at all others."""

ATOMIC = {"bool", "int32", "uint32", "int64", "uint64"}
"""Types whose sums know no order, and that the hardware adds alone: not within a word that reaches beyond an array."""

SUMMED = {"float": "float32", "double": "float64", "uint8": "uint8"}
"""In which types rows are summed in order, and their dtypes; all others in float."""

WIDE = 64
"""Registers of a thread where it holds many numbers."""

DIGIT, TILE = 8, 2048
"""Bits that a pass of sorting looks at, and the entries of a block."""


def deterministic() -> bool:
    """Whether sums are added in an order that is always the same, as ``AUTODIFF_DETERMINISTIC`` says: by default yes.

    Raises:
        ValueError: if it is neither 0 nor 1.
    """
    given = os.environ.get(VARIABLE, "1")
    if given not in ("0", "1"):
        raise ValueError(f"{VARIABLE} is {given!r}{at_user_line()}; set it to 1 or 0, or leave it away")
    return given == "1"


class Scatter:
    """The kernel of a sum of rows at indices, while it is written."""

    def __init__(self, tape: Tape) -> None:
        self.writing = writing = Writing(tape)
        g, i = writing.operands
        rest, rank = writing.params["rest"], writing.params["rank"]
        lead = g.ndim - rest - rank
        if i.shape != g.shape[: lead + rank]:
            raise Unsupported("indices that are repeated along the first axes")
        numbers = 2 if g.dtype.kind == "c" else 1  # complex ones are pairs
        self.kind = element(np.dtype(f"f{g.dtype.itemsize // 2}") if numbers == 2 else g.dtype)
        if self.kind in ("int8", "int16", "uint16"):
            raise Unsupported(f"nothing adds {g.dtype.name} at indices")
        self.sum = self.kind if self.kind in SUMMED else "float"
        self.entries, self.picked = i.size, prod(i.shape[lead:])
        self.columns, self.length = numbers * prod(g.shape[lead + rank :]), writing.params["length"]
        self.targets = prod(g.shape[:lead]) * self.length
        writing.arrays((self.kind, integer(i.dtype)), self.kind)
        self.g, self.i = writing.names
        writing.status()
        for name in ("entries", "picked", "length", "columns", "targets"):
            writing.size(name, getattr(self, name))

    def looked_at(self) -> bool:
        """Whether entries are so few that every target looks at all of them."""
        looks = self.targets * self.picked * self.columns
        few = self.picked <= ALWAYS or (self.picked <= LOOKED_AT and looks <= LOOKS)
        return few and self.targets * self.columns > 0

    def add_matching(self) -> None:
        team, blocks = share(self.targets, self.columns, 1)
        self.writing.launch(
            f"add_matching<{team}>({self.g}, {self.i}, out0, status, targets, picked, length, columns);", blocks
        )

    def zeros(self) -> None:
        size = self.targets * self.columns
        call = f"fill(out0, cast<{self.kind}>(0), {self.writing.size('size', size)});"
        self.writing.fill(call, size, self.writing.out.dtype.itemsize, "zeros")

    def look(self) -> None:
        """Nothing is added, but indices are in range or not."""
        self.zeros()
        self.writing.each(f"look_at({self.i}, status, entries, length);", self.entries)

    def in_any_order(self, ordered: bool) -> bool:
        """Whether threads add as they come."""
        return self.kind in ATOMIC or (not ordered and self.kind in ("float", "double"))

    def add_in_any_order(self) -> None:
        team, blocks = share(self.entries, self.columns)
        self.zeros()
        self.writing.launch(
            f"add_rows<{team}>({self.g}, {self.i}, out0, status, entries, picked, length, columns);", blocks
        )

    def add_in_order(self) -> None:
        """Zeros, keys, sorting, sums of chunks, sums across chunks."""
        if max(self.entries, self.targets + 1) >= SMALL:
            raise Unsupported("so many indices or targets; AUTODIFF_DETERMINISTIC=0 takes them")
        writing = self.writing
        self.zeros()
        writing.partial("keys0", "int32", self.entries, "int32")
        writing.each(f"keys_of({self.i}, keys0, status, entries, picked, length, targets);", self.entries, "keys")
        keys, order = self.ranked() if self.entries <= RANKED else self.sorted()
        chunk = max(16, min(power_from(int(self.entries**0.5) // 8, 512), 512))
        chunks = -(-self.entries // chunk)
        team, blocks = share(chunks, self.columns, 1)
        for name in ("heads", "tails"):
            writing.partial(name, SUMMED[self.sum], chunks * self.columns, self.sum)
        given = f"entries, columns, targets, {writing.size('chunk', chunk)}"
        writing.launch(
            f"add_sorted<{team}>({self.g}, {keys}, {order}, out0, heads, tails, {given});", blocks, "sums", WIDE
        )
        if chunks > 1:
            writing.launch(f"add_heads<{team}>({keys}, out0, heads, tails, {given});", blocks, "heads")

    def ranked(self) -> tuple[str, str]:
        for name in ("keys1", "order"):
            self.writing.partial(name, "int32", self.entries, "int32")
        self.writing.each("rank_entries(keys0, keys1, order, entries);", self.entries, "ranks")
        return "keys1", "order"

    def sorted(self) -> tuple[str, str]:
        """Passes over the digits of the keys, from one pair of arrays to another and back."""
        writing, tiles = self.writing, -(-self.entries // TILE)
        for name in ("keys1", "order0", "order1"):
            writing.partial(name, "int32", self.entries, "int32")
        writing.partial("counts", "uint32", tiles << DIGIT, "uint32")
        writing.partial("totals", "uint32", 1 << DIGIT, "uint32")
        writing.size("tiles", tiles)
        passes = -(-self.targets.bit_length() // DIGIT)
        for k in range(passes):
            here, there, shift = k % 2, (k + 1) % 2, k * DIGIT
            first = "true" if k == 0 else "false"
            writing.launch(f"count_digits<{shift}>(keys{here}, counts, entries);", (tiles, 1), f"count{k}")
            writing.launch("add_counts(counts, totals, tiles);", (1 << DIGIT, 1), f"add{k}")
            given = f"keys{here}, order{here}, counts, totals, keys{there}, order{there}, entries"
            writing.launch(f"move_entries<{shift}, {first}>({given});", (tiles, 1), f"move{k}", WIDE)
        return f"keys{passes % 2}", f"order{passes % 2}"


@prints("scatter_add")
def print_scatter_add(*, tape: Tape, ordered: bool) -> DeviceKernel:
    """Zeros to which rows are added at indices.

    Args:
        tape: of the one operation.
        ordered: whether the order of the sums must always be the same.
    """
    scatter = Scatter(tape)
    if scatter.looked_at():
        scatter.add_matching()
    elif scatter.entries * scatter.targets * scatter.columns == 0:
        scatter.look()
    elif scatter.in_any_order(ordered):
        scatter.add_in_any_order()
    else:
        scatter.add_in_order()
    return scatter.writing.kernel()


__all__ = ["THREADS", "deterministic", "print_scatter_add"]
