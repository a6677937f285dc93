"""Putting arrays together and taking them apart: linear operations that come in pairs, each the other's transpose.

``concatenate`` and ``split``, ``stack`` and ``unstack``. Axes are negative numbers, counted
from the end. Where pieces meet is said once, by ``ends``: the places along the axis at which each piece ends, so
that the rule of one piece of many need not add up the lengths of all the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from autodiff.ops.index import slice_of
from autodiff.ops.on_chunks import shapes as in_chunks
from autodiff.ops.on_chunks.itself import itself
from autodiff.ops.on_gpu import making
from autodiff.ops.shape import without
from autodiff.trace.facts import ALL_OPERANDS, FIRST, Facts
from autodiff.trace.parameters import AXIS, LENGTH, NEW_AXIS, each, integer, require, same
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import LARGEST, Spec, result_spec, spec, spec_of

Ends = tuple[int, ...]
WHOLE = (None, None, None)
ENDS = each(LENGTH, 1)

MANY = 2**20
"""No array is taken apart into more slices."""


def joined_dtype(specs: Sequence[Spec]) -> np.dtype[Any]:
    """The dtype of arrays put together; numbers count like arrays here."""
    return np.result_type(*{s.dtype for s in specs})


def _with_length(shape: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    return tuple(length if k == axis else own for k, own in enumerate(shape, -len(shape)))


def _concatenate_spec(*xs: Spec, axis: int, ends: Ends) -> Spec:
    others = without(xs[0].shape, (axis,))
    for x in xs:
        if x.ndim != xs[0].ndim or without(x.shape, (axis,)) != others:
            raise ValueError(
                f"arrays of shapes {xs[0].shape} and {x.shape} cannot be joined along axis {axis}: all other lengths "
                "must be equal"
            )
    return spec(_with_length(xs[0].shape, axis, ends[-1]), joined_dtype(xs))


def _check_concatenate(*xs: Spec, axis: int, ends: Ends) -> None:
    require(len(xs) == len(ends), f"{len(xs)} operands have {len(xs)} ends, and not {len(ends)}")
    require(all(x.ndim == xs[0].ndim for x in xs), "the operands must have one number of axes")
    same("the ends and those of the operands", ends, tuple(accumulate(x.shape[axis] for x in xs)))


def _check_split(x: Spec, *, axis: int, ends: Ends) -> None:
    require(all(start <= end for start, end in zip((0, *ends), ends)), f"the ends {ends} must not descend")
    same("the last end and the length", ends[-1], x.shape[axis])


def _evaluate_split(x: Any, *, axis: int, ends: Ends) -> tuple[Any, ...]:
    rest = (slice(None),) * (-axis - 1)
    return tuple(x[(..., slice(start, end), *rest)] for start, end in zip((0, *ends[:-1]), ends))


def _split_spec(x: Spec, *, axis: int, ends: Ends) -> tuple[Spec, ...]:
    return tuple(spec(_with_length(x.shape, axis, end - start), x.dtype) for start, end in zip((0, *ends[:-1]), ends))


concatenate: Primitive = linear(
    "concatenate",
    ("*xs",),
    lambda *xs, axis, ends: np.concatenate(xs, axis=axis),
    _concatenate_spec,
    {"xs": lambda g, index, axis, ends: piece(g, axis, ends[index - 1] if index else 0, ends[index])},
    params={"axis": AXIS, "ends": ENDS},
    check=_check_concatenate,
    moves=True,
    on_chunks=in_chunks.concatenate,
    facts=Facts(copies=ALL_OPERANDS, label="Concat"),
)
"""The arrays one behind the other along an axis."""

split: Primitive = linear(
    "split",
    ("x",),
    _evaluate_split,
    _split_spec,
    {"x": lambda g, axis, ends: concatenate(*g, axis=axis, ends=ends)},
    params={"axis": AXIS, "ends": ENDS},
    check=_check_split,
    view=True,
    adds=True,
    on_chunks=itself,
    facts=Facts(copies=FIRST),
)
"""The pieces of an array along an axis. One operation for all of them: their cotangents are joined, not summed."""


def joined(*xs: Any, axis: int) -> Any:
    """The arrays one behind the other along a negative axis."""
    return concatenate(*xs, axis=axis, ends=tuple(accumulate(spec_of(x).shape[axis] for x in xs)))


def _stack_spec(*xs: Spec, axis: int) -> Spec:
    for x in xs:
        if x.shape != xs[0].shape:
            raise ValueError(f"arrays of shapes {xs[0].shape} and {x.shape} cannot be stacked: they must be equal")
    position = xs[0].ndim + 1 + axis
    shape = xs[0].shape
    return spec((*shape[:position], len(xs), *shape[position:]), joined_dtype(xs))


stack: Primitive = linear(
    "stack",
    ("*xs",),
    lambda *xs, axis: np.stack(xs, axis=axis),
    _stack_spec,
    {"xs": lambda g, index, axis: slice_of(g, key=(index, *(WHOLE,) * (-axis - 1)))},
    params={"axis": NEW_AXIS},
    moves=True,
    on_gpu=making.stack,
    on_chunks=in_chunks.stack,
    facts=Facts(copies=ALL_OPERANDS),
)
"""The arrays side by side along a new axis: one entry on the tape where reshaping and joining would be one each."""

unstack: Primitive = linear(
    "unstack",
    ("x",),
    lambda x, *, axis: tuple(x.transpose((axis % x.ndim, *(k for k in range(x.ndim) if k != axis % x.ndim)))),
    lambda x, *, axis: (result_spec(without(x.shape, (axis,)), x.dtype),) * x.shape[axis],
    {"x": lambda g, axis: stack(*g, axis=axis)},
    params={"axis": AXIS},
    check=lambda x, *, axis: require(x.shape[axis] <= MANY, f"{x.shape[axis]} slices are too many for one operation"),
    view=True,
    batch=lambda values, batched, params: _unstack_batch(values[0], params["axis"]),
    adds=True,
    on_chunks=itself,
    facts=Facts(copies=FIRST),
)
"""The slices of an array along an axis."""


def _unstack_batch(x: Any, axis: int) -> Any:
    return unstack(x, axis=axis)


def piece(x: Any, axis: int, start: int, stop: int) -> Any:
    """The part of an array between two places along a negative axis."""
    return slice_of(x, key=((start, stop, None), *(WHOLE,) * (-axis - 1)))


roll: Primitive = linear(
    "roll",
    ("x",),
    lambda x, *, shifts, axes: np.roll(x, shifts, axes),
    lambda x, *, shifts, axes: spec(x.shape, x.dtype),
    {"x": lambda g, shifts, axes: roll(g, shifts=tuple(-shift for shift in shifts), axes=axes)},
    params={"shifts": each(integer(-LARGEST)), "axes": each(AXIS)},
    check=lambda x, *, shifts, axes: same("the numbers of shifts and axes", len(shifts), len(axes)),
    moves=True,
    on_chunks=in_chunks.roll,
    facts=Facts(copies=FIRST),
)
"""The elements moved along axes; what leaves at the end comes in at the front. One copy where joining takes five."""
