"""Sums of segments of an axis, and their transpose.

A segment reaches from one index to the next one, the last segment to the end; where the next index is not larger, it
is one element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.on_gpu import reductions
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import AXIS, LENGTH, each, require, same
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import Spec, native, spec

Indices = tuple[int, ...]


def segments(indices: Indices, length: int) -> list[tuple[int, int]]:
    """Where each segment starts and stops."""
    nexts = (*indices[1:], length)
    return [(start, stop if stop > start else start + 1) for start, stop in zip(indices, nexts)]


def _with_length(x: Spec, axis: int, length: int) -> Spec:
    shape = list(x.shape)
    shape[axis] = length
    return spec(tuple(shape), x.dtype)


def _segment_spec(x: Spec, *, axis: int, indices: Indices) -> Spec:
    dtype = np.add.reduce(np.empty(0, x.dtype)).dtype if x.dtype.kind in "biu" else native(x.dtype)
    return _with_length(spec(x.shape, dtype), axis, len(indices))


def _check_indices(indices: Indices, length: int) -> None:
    require(all(index < length for index in indices), f"an axis of length {length} has no places {indices}")


segment_sums: Primitive = linear(
    "segment_sums",
    ("x",),
    lambda x, *, axis, indices: np.add.reduceat(x, indices, axis=axis),
    _segment_spec,
    {"x": lambda g, x_spec, axis, indices: segment_spread(g, axis=axis, indices=indices, length=x_spec.shape[axis])},
    params={"axis": AXIS, "indices": each(LENGTH)},
    check=lambda x, *, axis, indices: _check_indices(indices, x.shape[axis]),
    on_gpu=reductions.segment_sums,
    adds=True,
    facts=Facts(each=True),
)
"""The sum of each segment."""


def _evaluate_spread(g: Any, *, axis: int, indices: Indices, length: int) -> Any:
    g = np.moveaxis(g, axis, 0)
    out = np.zeros((length, *g.shape[1:]), g.dtype, like=g)
    for k, (start, stop) in enumerate(segments(indices, length)):
        out[start:stop] += g[k]
    return np.moveaxis(out, 0, axis)


def _check_spread(g: Spec, *, axis: int, indices: Indices, length: int) -> None:
    _check_indices(indices, length)
    same("the length of the axis and the number of segments", g.shape[axis], len(indices))


segment_spread: Primitive = linear(
    "segment_spread",
    ("g",),
    _evaluate_spread,
    lambda g, *, axis, indices, length: _with_length(g, axis, length),
    {"g": lambda g, axis, indices: segment_sums(g, axis=axis, indices=indices)},
    adds=True,
    params={"axis": AXIS, "indices": each(LENGTH), "length": LENGTH},
    check=_check_spread,
    facts=Facts(exact=True),
)
"""One number for each segment, repeated over it: the transpose of :data:`segment_sums`."""
