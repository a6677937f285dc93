"""Gathering and scattering on a GPU, where the order of writes to one place is not defined."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.values.arrays import module_of

ATOMIC = {np.dtype(name) for name in ("i4", "u4", "u8", "f2", "f4", "f8")}
"""The dtypes in which CuPy adds to places that occur several times."""


def lead_index(shape: tuple[int, ...], lead: int, rank: int, like: Any) -> tuple[Any, ...]:
    """Integer arrays that run along the first ``lead`` axes of a shape, beside an index of further ``rank`` axes."""
    arange = module_of(like).arange
    return tuple(arange(shape[k]).reshape((*(1,) * k, shape[k], *(1,) * (lead - k - 1 + rank))) for k in range(lead))


def gather(x: Any, i: Any, *, rest: int, chosen: bool) -> Any:
    """Elements picked along one axis."""
    lead = np.ndim(x) - 1 - rest
    return x[i] if lead == 0 else x[(*lead_index(x.shape, lead, np.ndim(i) - lead, x), i)]


def scatter_add(g: Any, i: Any, *, length: int, rest: int, rank: int) -> Any:
    """Zeros, to which ``g`` is added at ``i``."""
    module = module_of(g, i)
    g = module.asarray(g) if np.ndim(g) == 0 else g
    lead = g.ndim - rest - rank
    out = module.zeros((*g.shape[:lead], length, *g.shape[lead + rank :]), g.dtype)
    return added(out, (*lead_index(g.shape, lead, rank, out), i), g)


def added(out: Any, key: Any, g: Any) -> Any:
    """``out`` with ``g`` added at an index, as often as a place occurs; ``out`` is overwritten where it can be."""
    add = module_of(out).add  # CuPy's own: NumPy's does not reach it where the index is a tuple
    if out.dtype.kind == "c":
        add.at(out.real, key, g.real)
        add.at(out.imag, key, g.imag)
        return out
    if out.dtype in ATOMIC:
        add.at(out, key, g)
        return out
    if out.dtype == np.int64:  # the same bits are added as numbers without sign
        add.at(out.view(np.uint64), key, g.astype(np.uint64))
        return out
    return added(out.astype(np.int32), key, g.astype(np.int32)).astype(out.dtype)


def last_places(i: Any, length: int) -> tuple[Any, Any]:
    """The index of each place of the last axis, and the number of the last of those ``i`` that name it, or -1."""
    module = module_of(i)
    lead, count = i.ndim - 1, i.shape[-1]
    winner = module.full((*i.shape[:-1], length), -1, np.int32)
    place = (*lead_index(i.shape, lead, 1, i), i)
    module.maximum.at(winner, place, module.broadcast_to(module.arange(count, dtype=np.int32), i.shape))
    return place, winner


def last_writes(i: Any, *, length: int) -> Any:
    """Which of the writes to the places ``i`` are not overwritten by a later one."""
    place, winner = last_places(i, length)
    return winner[place] == module_of(i).arange(i.shape[-1])


def put(x: Any, i: Any, v: Any) -> Any:
    """``x`` with ``v`` in the places ``i``: all writes to one place write the last value."""
    module = module_of(x, i, v)
    out = module.array(x, copy=True, order="K")
    i = module.asarray(i)
    wide = module.broadcast_to(i, (*out.shape[:-1], i.shape[-1]))
    place, winner = last_places(wide, out.shape[-1])
    value = module.broadcast_to(module.asarray(v), wide.shape)
    out[place] = np.take_along_axis(value, winner[place], -1)
    return out


def copied(x: Any) -> Any:
    """A copy that is C-contiguous exactly where the original is."""
    copy = x.copy(order="K")
    if copy.flags.c_contiguous and not x.flags.c_contiguous:
        spaced = module_of(x).empty((*copy.shape, 2), copy.dtype)[..., 0]
        spaced[...] = copy
        return spaced
    return copy
