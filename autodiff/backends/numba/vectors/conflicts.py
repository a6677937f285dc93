"""Whether the rounds of a loop meet in memory: then they cannot be done side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import ceil, floor, inf

from autodiff.backends.numba.vectors.elements import Pointer, Type
from autodiff.backends.numba.vectors.polynomials import Bounds, Polynomial
from autodiff.backends.numba.vectors.survey import ROOM


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


def conflict(accesses: list[Access], variable: str, length: float, bounds: Bounds) -> str:
    """Why the rounds of a loop depend on each other; empty if they do not.

    Args:
        accesses: of one round.
        variable: the symbol of the loop's variable.
        length: how many rounds there are; infinity if that is not known.
        bounds: of symbols.
    """
    stores = [access for access in accesses if access.stores]
    for store in stores:
        if store.place is None or store.place.stride(variable) == 0:
            return f"it stores to the same place, or to no known one, of {store.name} in every round"
    pairs = [*combinations(stores, 2), *((s, a) for s in stores for a in accesses if not a.stores)]
    for one, other in (*((s, s) for s in stores), *pairs):
        if meet(one, other, variable, length, bounds):
            return f"a round may touch what another one stores to {one.name}"
    return ""


def meet(one: Access, other: Access, variable: str, length: float, bounds: Bounds) -> bool:
    """Whether accesses of two different rounds may touch the same bytes."""
    if isinstance(one.base, Pointer) and isinstance(other.base, Pointer) and one.base != other.base:
        return False
    if one.place is None or other.place is None:
        return True
    rooms = [{name for name in place.symbols if name.startswith(ROOM)} for place in (one.place, other.place)]
    if all(rooms) and rooms[0] != rooms[1]:
        return False
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
