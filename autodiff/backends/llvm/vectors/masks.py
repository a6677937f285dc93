"""Loads and stores of some lanes of a vector only.

LLVM fills a vector that is shorter than a register up with lanes that are neither loaded nor stored. Where the mask of
the others was made of the bits of a number it does not look whether those above are zero (LLVM 22, AVX-512: the
mask is spilled as 16 bits, of which 8 were computed): eight bytes were stored, and eight more behind them. So such
vectors are filled up here, with a mask that is compared lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.language.types import SIZES
from autodiff.backends.llvm.vectors.quotients import Quotients

SHORTEST = 16
"""The bytes of the shortest vector that has instructions with masks."""


class Masks(Quotients):
    """Prints such loads and stores.

    Attributes:
        live: how many lanes of this round there are, as a number or a value; None if it is all of them.
        mask: of these lanes; None if it is all of them.
    """

    live: Any = None
    mask: Any = None

    def live_at(self, places: Sequence[int], lanes: int) -> Any:
        """A mask of so many lanes: of those, at the given places, that are live; not of those that are left."""
        if lanes > len(places):
            return self.below(self.live, [*places, *[self.count] * (lanes - len(places))])
        return self.mask if list(places) == list(range(self.count)) else self.shuffled(self.mask, places)

    def load_live(
        self, address: Any, type_: str, stored: Any, places: Sequence[int], mark: Callable[[Any], None]
    ) -> Any:
        """Load elements at an address.

        Args:
            address: of the first one, as a number.
            type_: of the elements.
            stored: how they lie in memory.
            places: one for each element: the lane without which it is not loaded.
            mark: what the load is told of its memory with.
        """
        lanes = max(len(places), SHORTEST // SIZES[type_])
        vector = self.ir.VectorType(stored, lanes)
        pointer = self.builder.inttoptr(address, vector.as_pointer())
        nothing = self.ir.Constant(vector, self.ir.Undefined)
        operands = [pointer, self.ir.IntType(32)(SIZES[type_]), self.live_at(places, lanes), nothing]
        found = self.call(f"llvm.masked.load.{self.suffix(vector)}.p0", vector, operands)
        mark(found)
        return found if lanes == len(places) else self.shuffled(found, range(len(places)))

    def store_live(
        self, value: Any, address: Any, type_: str, places: Sequence[int], mark: Callable[[Any], None]
    ) -> None:
        """Store a vector at an address; of its lanes those whose places are live."""
        lanes = max(len(places), SHORTEST // SIZES[type_])
        if lanes > len(places):
            value = self.shuffled(value, [*range(len(places)), *[0] * (lanes - len(places))])
        pointer = self.builder.inttoptr(address, value.type.as_pointer())
        operands = [value, pointer, self.ir.IntType(32)(SIZES[type_]), self.live_at(places, lanes)]
        mark(self.call(f"llvm.masked.store.{self.suffix(value.type)}.p0", self.ir.VoidType(), operands))
