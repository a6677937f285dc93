"""Sorting on a GPU: CuPy sorts by one algorithm, which keeps the order of equal elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.values.arrays import module_of


def argsort(x: Any, *, axis: int, kind: Any) -> Any:
    """The permutation that sorts, whatever kind of sorting was asked for."""
    return np.argsort(x, axis=axis)


def lexsort(*keys: Any, axis: int) -> Any:
    """The permutation that sorts by several keys, the last one first."""
    order = np.argsort(keys[0], axis=axis)
    for key in keys[1:]:
        again = np.argsort(np.take_along_axis(key, order, axis), axis=axis)
        order = np.take_along_axis(order, again, axis)
    return order


def searchsorted(table: Any, x: Any, *, side: Any) -> Any:
    """Where elements belong in a sorted vector."""
    return np.searchsorted(table, x if np.ndim(x) else module_of(table, x).asarray(x), side=side)
