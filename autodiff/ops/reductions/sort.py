"""Orders and places: sorting is picking by a permutation, and only the picking has a derivative.

Axes are negative numbers, counted from the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast, isnan, less, less_equal, logical_and, logical_not, logical_or
from autodiff.ops.index import check_index
from autodiff.ops.on_chunks.axes import along_axes
from autodiff.ops.on_gpu import sorting
from autodiff.ops.shape import reshape, sum_axes, without
from autodiff.trace.facts import FIRST, Facts
from autodiff.trace.parameters import AXIS, LENGTH, each, integer, one_of, require, same
from autodiff.trace.primitive import Primitive, general, linear
from autodiff.trace.spec import LARGEST, Spec, result_spec, spec, spec_of


def _index_spec(x: Spec, **_: Any) -> Spec:
    return spec(x.shape, np.intp)


argsort: Primitive = general(
    "argsort",
    ("x",),
    lambda x, *, axis, kind: np.argsort(x, axis=axis, kind=kind),
    _index_spec,
    {},
    params={"axis": AXIS, "kind": one_of(None, "quicksort", "heapsort", "mergesort", "stable")},
    on_gpu=sorting.argsort,
    on_chunks=along_axes,
    facts=Facts(new=True),
)
"""The permutation that sorts along an axis; no derivative."""

PARTITION = {"axis": AXIS, "kth": each(integer(-LARGEST))}


def _check_partition(x: Spec, *, axis: int, kth: tuple[int, ...]) -> None:
    length = x.shape[axis]
    require(all(-length <= k < length for k in kth), f"an axis of length {length} has no places {kth}")


argpartition: Primitive = general(
    "argpartition",
    ("x",),
    lambda x, *, axis, kth: np.argpartition(x, kth, axis=axis),
    _index_spec,
    {},
    params=PARTITION,
    check=_check_partition,
    on_chunks=along_axes,
)
"""A permutation along an axis that brings the ``kth`` elements to their sorted places; no derivative."""


SORTED = 256
"""Up to this length lines of floats are sorted for one ``kth`` element, as NumPy does on most processors."""


def partition_sorts(x: Spec, axis: int, kth: tuple[int, ...]) -> bool:
    """Whether the order in which a partition brings lines is the ascending one."""
    return x.dtype.char in "fd" and x.shape[axis] <= SORTED and len(kth) == 1


def _evaluate_partition_order(x: Any, *, axis: int, kth: tuple[int, ...]) -> Any:
    """NumPy's partition and argpartition may order differently, so the permutation is read off the values."""
    source = np.argsort(x, axis=axis, kind="stable")
    if partition_sorts(spec_of(x), axis, kth):
        return source
    target = np.argsort(np.partition(x, kth, axis=axis), axis=axis, kind="stable")
    order = np.empty_like(source)
    np.put_along_axis(order, target, source, axis)
    return order


partition_order: Primitive = general(
    "partition_order",
    ("x",),
    _evaluate_partition_order,
    _index_spec,
    {},
    params=PARTITION,
    check=_check_partition,
    on_chunks=along_axes,
)
"""The permutation along an axis with which NumPy's partition picks; no derivative.

NumPy leaves the order on both sides of the ``kth`` elements open. Where its processor has vectors for it, NumPy sorts
short lines of floats for one element; here these are sorted on every processor, so that kernels need not ask NumPy.
"""

lexsort: Primitive = general(
    "lexsort",
    ("*keys",),
    lambda *keys, axis: np.lexsort(keys, axis=axis),
    lambda *keys, axis: spec(keys[0].shape, np.intp),
    {},
    params={"axis": AXIS},
    check=lambda *keys, axis: require(all(key.shape == keys[0].shape for key in keys), "keys must have one shape"),
    on_gpu=sorting.lexsort,
)
"""The permutation that sorts by several keys, the last one first; no derivative."""


def _check_pick(x: Spec, i: Spec, *, axis: int) -> None:
    check_index(i)
    same("the numbers of axes of operand and index", x.ndim, i.ndim)
    same("the other lengths of operand and index", without(x.shape, (axis,)), without(i.shape, (axis,)))


pick: Primitive = linear(
    "pick",
    ("x", "i"),
    lambda x, i, *, axis: np.take_along_axis(x, i, axis),
    lambda x, i, *, axis: spec(i.shape, x.dtype),
    {"x": lambda g, i, x_spec, axis: place(g, i, axis=axis, length=x_spec.shape[axis])},
    params={"axis": AXIS},
    check=_check_pick,
    moves=True,
    on_chunks=along_axes,
    facts=Facts(copies=FIRST, new=True),
)
"""Elements picked along an axis, by an index for each line in which no place occurs twice."""


def _evaluate_place(g: Any, i: Any, *, axis: int, length: int) -> Any:
    shape = list(g.shape)
    shape[axis] = length
    out = np.zeros(shape, g.dtype, like=g)
    np.put_along_axis(out, i, g, axis)
    return out


def _place_spec(g: Spec, i: Spec, *, axis: int, length: int) -> Spec:
    shape = list(g.shape)
    shape[axis] = length
    return spec(tuple(shape), g.dtype)


def _check_place(g: Spec, i: Spec, *, axis: int, length: int) -> None:
    check_index(i)
    same("the shapes of operand and index", g.shape, i.shape)


place: Primitive = linear(
    "place",
    ("g", "i"),
    _evaluate_place,
    _place_spec,
    {"g": lambda g, i, axis: pick(g, i, axis=axis)},
    params={"axis": AXIS, "length": LENGTH},
    check=_check_place,
    moves=True,
    on_chunks=along_axes,
    facts=Facts(new=True),
)
"""Zeros, with ``g`` in the places along an axis that an index for each line names: the transpose of :data:`pick`."""


def _batch_searchsorted(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    """With a table for each example the elements before are counted: one comparison for each pair."""
    table, x = values
    if not batched[0]:
        return searchsorted(table, x, **params)
    inner = spec_of(x).shape[1:] if batched[1] else spec_of(x).shape
    ones = (1,) * len(inner)
    rows, length = spec_of(table).shape
    table = reshape(table, shape=(rows, *ones, length))
    x = reshape(x, shape=(rows if batched[1] else 1, *inner, 1))
    before = less(table, x) if params["side"] == "left" else less_equal(table, x)
    if spec_of(table).inexact and spec_of(x).inexact:  # NaN comes last, after it nothing
        last = isnan(x) if params["side"] == "right" else logical_and(isnan(x), logical_not(isnan(table)))
        before = logical_or(before, last)
    return cast(sum_axes(before, axes=(-1,)), dtype=np.dtype(np.intp))


searchsorted: Primitive = general(
    "searchsorted",
    ("table", "x"),
    lambda table, x, *, side: np.searchsorted(table, x, side=side),
    lambda table, x, *, side: result_spec(x.shape, np.intp),
    {},
    params={"side": one_of("left", "right")},
    check=lambda table, x, *, side: require(table.ndim == 1, f"a table has one axis, and not {table.ndim}"),
    batch=_batch_searchsorted,
    on_gpu=sorting.searchsorted,
)
"""Where elements belong in a sorted vector; no derivative."""
