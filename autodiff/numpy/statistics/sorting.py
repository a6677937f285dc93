"""Sorting and searching: the derivative of sorting moves with the elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.arrays.memory_order import arranged
from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import FUNCTIONS, as_operand, implements, peeled
from autodiff.numpy.items.keys import as_index
from autodiff.ops.elementwise import cast
from autodiff.ops.reductions import sort as ops
from autodiff.ops.shape import reshape
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.values.arrays import placed

KINDS = {"q": None, "m": "stable", "s": "stable", "h": "heapsort"}
"""Ways to sort, by their first letters: NumPy looks at no others."""


def lines(a: Any, axis: Any) -> tuple[Any, int]:
    """The array to sort and the axis; the flattened array where the axis is None."""
    a = as_operand(a)
    if axis is None:
        return reshape(a, shape=(spec_of(a).size,)), -1
    return a, negative_axis(axis, len(spec_of(a).shape))


def no_fields(name: str, order: Any) -> None:
    """Refuse to sort by fields."""
    if order is not None:
        raise TypeError(f"{name} with order={order!r} sorts arrays with fields, which cannot be traced{at_user_line()}")


def way(kind: Any) -> str | None:
    """The way to sort that ``kind=`` names.

    Raises:
        ValueError: if it names none.
    """
    letter = "q" if kind is None else str(kind)[:1].lower()
    if letter not in KINDS:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r}){at_user_line()}")
    return KINDS[letter]


@implements(np.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """The elements in ascending order along an axis; of equal ones the first stays first, with its derivative."""
    no_fields("sort", order)
    way(kind)
    a, k = lines(a, axis)
    return ops.pick(a, ops.argsort(a, axis=k, kind="stable"), axis=k)


@implements(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """The elements as complex numbers, in ascending order of real parts, then of imaginary parts."""
    ordered = sort(a)
    dtype = spec_of(ordered).dtype
    if dtype.kind == "c":
        return ordered
    return cast(ordered, dtype=np.dtype("F" if dtype.char in "bhBH" else "G" if dtype.char == "g" else "D"))


@implements(np.argsort)
def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """The permutation that sorts along an axis; it has no derivative."""
    no_fields("argsort", order)
    a = as_operand(a)
    a, k = lines(a, None if not spec_of(a).shape and axis in (0, -1) else axis)  # NumPy makes a number an array here
    return ops.argsort(a, axis=k, kind="stable" if stable else way(kind))


def introselect(kind: Any) -> None:
    """Refuse ways to partition that there are not.

    Raises:
        ValueError: if it is no way to partition.
    """
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r}){at_user_line()}")


@implements(np.partition)
def partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    """The elements along an axis with the ``kth`` ones in their sorted places."""
    no_fields("partition", order)
    introselect(kind)
    a, k = lines(a, axis)
    return ops.pick(a, ops.partition_order(a, axis=k, kth=places(kth)), axis=k)


@implements(np.argpartition)
def argpartition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    """The permutation that partitions along an axis; it has no derivative."""
    no_fields("argpartition", order)
    introselect(kind)
    a, k = lines(a, axis)
    return ops.argpartition(a, axis=k, kth=places(kth))


def places(kth: Any) -> tuple[int, ...]:
    """The places of a partition as plain numbers."""
    return tuple(int(k) for k in np.ravel(peeled(kth, "np.partition")))


@implements(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """The permutation that sorts by several keys, the last one first; it has no derivative."""
    columns = [as_operand(key) for key in keys]
    return ops.lexsort(*columns, axis=negative_axis(axis, len(spec_of(columns[0]).shape)))


@implements(np.searchsorted)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where elements belong in a sorted vector; it has no derivative."""
    a = as_operand(a)
    if sorter is not None:
        a = FUNCTIONS[np.take](a, sorter)
    return ops.searchsorted(a, as_operand(v), side={"l": "left", "r": "right"}.get(side, side))


@implements(np.digitize)
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The number of the bin that each element falls in; it has no derivative."""
    edges = placed(as_index(peeled(bins, "np.digitize")), x)
    if edges.ndim == 1 and edges.size and edges[0] > edges[-1]:
        return len(edges) - digitize_rising(x, edges[::-1], "left" if right else "right")
    return digitize_rising(x, edges, "left" if right else "right")


def digitize_rising(x: Any, edges: Any, side: str) -> Any:
    """The bins by rising edges."""
    if edges.ndim != 1 or np.any(edges[1:] < edges[:-1]):
        raise ValueError(f"bins must rise or fall along one axis{at_user_line()}; sort them")
    return ops.searchsorted(edges, as_operand(x), side=side)


@implements(np.unique)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The different elements in ascending order; the derivative goes to the first of equal ones.

    How many there are depends on the values, so that it cannot run where only shapes are known.
    """
    ar = as_operand(ar)
    different: Any = np.unique
    _, index, *others = different(
        peeled(ar, "np.unique"), True, return_inverse, return_counts, axis, equal_nan=equal_nan
    )
    found = FUNCTIONS[np.take](ar, index, axis=axis)
    if axis is not None:  # NumPy brings the axis to the front to sort
        k = negative_axis(axis, spec_of(ar).ndim) + spec_of(ar).ndim
        found = arranged(found, [k, *(other for other in range(spec_of(ar).ndim) if other != k)])
    results = (found, index, *others) if return_index else (found, *others)
    return results if len(results) > 1 else found


@implements(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """The different elements of two arrays, in ascending order."""
    return unique(FUNCTIONS[np.concatenate]((as_operand(ar1), as_operand(ar2)), axis=None))
