"""Whether the rounds of a loop meet in memory: then they cannot be done side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, floor, inf

from autodiff.backends.language.polynomials import Bounds, Polynomial
from autodiff.backends.language.types import Pointer, Type
from autodiff.backends.llvm.vectors.survey import ROOM


@dataclass(frozen=True)
class Access:
    """A load or a store.

    Attributes:
        base: the type of its address.
        name: of the address.
        place: in bytes; None if that is not known.
        size: of an element, in bytes.
        stores: whether it is a store.
    """

    base: Type
    name: str
    place: Polynomial | None
    size: int
    stores: bool

    @property
    def room(self) -> str:
        """The part of the kernel's own memory that it is in."""
        symbols = () if self.place is None else self.place.symbols
        return next((name for name in symbols if name.startswith(ROOM)), "")


def conflict(accesses: list[Access], variable: str, length: float, bounds: Bounds) -> str:
    """Why the rounds of a loop depend on each other; empty if they do not.

    Args:
        accesses: of one round.
        variable: the symbol of the loop's variable.
        length: how many rounds there are; infinity if that is not known.
        bounds: of symbols.
    """
    for store in (access for access in accesses if access.stores):
        if store.place is None or store.place.stride(variable) == 0:
            return f"it stores to the same place, or to no known one, of {store.name} in every round"
    for one, other in pairs(accesses):
        if meet(one, other, variable, length, bounds):
            return f"a round may touch what another one stores to {one.name}"
    return ""


def pairs(accesses: list[Access]) -> Iterator[tuple[Access, Access]]:
    """Every store with itself and every other access that may be to the same part of memory."""
    parts: dict[tuple[Type, str], list[Access]] = {}
    for access in accesses:
        known = isinstance(access.base, Pointer) and access.place is not None
        parts.setdefault((access.base, access.room if known else ""), []).append(access)
    by_base: dict[Type, list[tuple[Type, str]]] = {}
    for part in parts:
        by_base.setdefault(part[0], []).append(part)
    anywhere = [part for part in parts if not isinstance(part[0], Pointer)]
    for (base, room), found in parts.items():
        stores = [access for access in found if access.stores]
        if stores:
            near = [*by_base[base], *anywhere] if isinstance(base, Pointer) else list(parts)
            for part in near:
                if not room or not part[1] or room == part[1]:
                    yield from product(stores, parts[part])


def meet(one: Access, other: Access, variable: str, length: float, bounds: Bounds) -> bool:
    """Whether accesses of two different rounds may touch the same bytes."""
    if one.place is None or other.place is None:
        return True
    apart = other.place - one.place
    stride = one.place.stride(variable)
    if apart.number is not None and stride:
        return steps_meet(apart.number, stride, one.size, other.size, length)
    moved = other.place.renamed(variable, f"{variable}'") - one.place
    low, high = moved.interval({**bounds, f"{variable}'": bounds.get(variable, (-inf, inf))})
    return not (low >= one.size or high <= -other.size)


def steps_meet(apart: int, stride: int, size: int, other: int, length: float) -> bool:
    """Whether an access meets another one, so many bytes apart, some rounds later or earlier."""
    low, high = sorted(((-other - apart) / stride, (size - apart) / stride))
    return any(low < steps < high and 0 < abs(steps) < length for steps in range(floor(low), ceil(high) + 1))
