"""The methods of ufuncs: ``np.add.reduce``, ``np.maximum.accumulate``, ``np.multiply.outer``, ``np.add.reduceat``.

``outer`` needs nothing but the ufunc itself. The reductions of sums, products, extremes and truth are the functions of
those names; those of any other ufunc with a derivative go from element to element, as their definition does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from autodiff.numpy.arrays.memory_order import laid_out_by
from autodiff.numpy.axes import negative_axes, negative_axis, only_axis
from autodiff.numpy.dispatch import METHODS, UFUNCS, as_operand, as_strong_operand, peeled
from autodiff.numpy.statistics.cumulative import running
from autodiff.numpy.statistics.nans import nanmax, nanmin
from autodiff.numpy.statistics.reductions import (
    NOTHING,
    as_asked,
    finished,
    given,
    in_dtype_of,
    kept,
    mask_like,
    max,
    min,
    selected,
    started,
)
from autodiff.numpy.statistics.truth import all, any, truth
from autodiff.ops.elementwise import cast
from autodiff.ops.reductions import cumulative, reduce
from autodiff.ops.reductions.logsumexp import logaddexp_axes
from autodiff.ops.reductions.running import cummax, cummin
from autodiff.ops.reductions.segments import segment_sums, segments
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

IN_ANY_ORDER = frozenset({np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.gcd, np.hypot, np.logaddexp2})
"""Of the ufuncs whose reductions go from element to element those that NumPy lets go along several axes."""


def outer(ufunc: np.ufunc, a: Any, b: Any, **options: Any) -> Any:
    """The ufunc of every element of ``a`` with every element of ``b``."""
    a, b = as_strong_operand(a), as_strong_operand(b)
    return ufunc(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b, **options)


def converted(array: Any, dtype: Any) -> Any:
    """The operand of a reduction in the dtype that was asked for."""
    array = as_operand(array)
    return array if dtype is None else cast(array, dtype=np.dtype(dtype))


def extreme_reduce(function: Callable[..., Any]) -> Callable[..., Any]:
    """``np.maximum.reduce`` and ``np.minimum.reduce``, which go along the first axis by default."""

    def method(
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NOTHING,
        where: Any = True,
    ) -> Any:
        return function(converted(array, dtype), axis, out, keepdims, initial, where)

    return method


def truth_reduce(ufunc: np.ufunc, function: Callable[..., Any]) -> Callable[..., Any]:
    """``np.logical_or.reduce`` and the like."""

    def method(
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NOTHING,
        where: Any = True,
    ) -> Any:
        if not started(initial):
            return function(array, axis, out, keepdims, where=where)
        return finished(ufunc(function(array, axis, None, keepdims, where=where), initial), out)

    return method


def xor(array: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    """Whether an odd number of elements is true."""
    return truth(reduce.xor_axes, array, axis, out, keepdims, where, False)


def logaddexp_reduce(
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOTHING,
    where: Any = True,
) -> Any:
    """log(sum(exp(x))) along axes."""
    array, _ = in_dtype_of(out, converted(array, dtype))
    shape = spec_of(array).shape
    axes = negative_axes(axis, len(shape))
    if given(where):
        array = selected(as_results(np.logaddexp, array), mask_like(where, shape), -np.inf)
    result = kept(logaddexp_axes(array, axes=axes), shape, axes, keepdims)
    if started(initial):
        result = np.logaddexp(result, cast(as_operand(initial), dtype=spec_of(result).dtype))
    return finished(result, out)


def folded(
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOTHING,
    where: Any = True,
) -> Any:
    """The reduction of any other ufunc, from element to element."""
    array = as_results(ufunc, converted(array, dtype))
    shape = spec_of(array).shape
    axes = folded_axes(ufunc, axis, len(shape))
    rows = in_a_row(array, axes)
    start = starting(ufunc, initial, given(where), rows)
    if len(axes) == 1 and start is None:
        result = steps(ufunc, array, axes[0])[-1]
    else:
        mask = in_a_row(mask_like(where, shape), axes) if given(where) else None
        result = fold(ufunc, rows, start, mask)
    return finished(kept(result, shape, axes, keepdims), out)


def folded_axes(ufunc: np.ufunc, axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes of a reduction, several only where the order does not matter."""
    axes = negative_axes(axis, ndim)
    if len(axes) > 1 and ufunc not in IN_ANY_ORDER:
        name = f"np.{ufunc.__name__}.reduce"
        raise ValueError(f"{name} goes along one axis, got axis={axis}{at_user_line()}; the order would matter")
    return axes


def starting(ufunc: np.ufunc, initial: Any, masked: bool, rows: Any) -> Any:
    """What a reduction begins with; None where its first element is the same, as it is of several."""
    if initial is NOTHING and ufunc.identity is not None and (masked or spec_of(rows).shape[0] < 2):
        return np.asarray(ufunc.identity).astype(spec_of(rows).dtype)[()]
    start = None if initial is NOTHING else initial
    if start is None and (masked or spec_of(rows).shape[0] == 0):
        raise ValueError(
            f"np.{ufunc.__name__}.reduce of nothing has no result{at_user_line()}: it has no identity; give initial="
        )
    return start


def in_a_row(array: Any, axes: tuple[int, ...]) -> Any:
    """An array with all the elements of the axes along a new first one."""
    shape = spec_of(array).shape
    rest = tuple(length for k, length in enumerate(shape, -len(shape)) if k not in axes)
    count = prod(shape[k] for k in axes)
    return np.reshape(np.moveaxis(array, axes, range(len(axes))), (count, *rest))


def fold(ufunc: np.ufunc, rows: Any, start: Any, mask: Any) -> Any:
    """A reduction along the first axis, of what a mask does not leave out."""
    own = spec_of(rows)
    parts = [rows[k] for k in range(own.shape[0])]
    result = np.copy(parts.pop(0)) if start is None else np.full_like(rows, start, shape=own.shape[1:])
    for k, part in enumerate(parts):
        after = ufunc(result, part)
        result = after if mask is None else np.where(mask[k], after, result)
    return result if own.shape[1:] else result[()]


def steps(ufunc: np.ufunc, array: Any, axis: int) -> list[Any]:
    """The running results of a ufunc along an axis."""
    array = as_results(ufunc, array)
    length = spec_of(array).shape[axis]
    rest = (slice(None),) * (-axis - 1)
    parts = [array[(..., k, *rest) if len(spec_of(array).shape) > 1 else k] for k in range(length)]
    results = [parts[0]]
    for part in parts[1:]:
        results.append(ufunc(results[-1], part))
    return results


def as_results(ufunc: np.ufunc, array: Any) -> Any:
    """The array in the dtype of the ufunc's results: the first element of a row is a result itself."""
    own = spec_of(array).dtype
    result = ufunc.resolve_dtypes((own, own, None))[-1]
    if result == own:
        return array
    if result.kind == "b" and not ufunc.__name__.startswith("logical"):
        raise TypeError(
            f"np.{ufunc.__name__} of {own.name} gives truth values, which it cannot go on with{at_user_line()}; "
            "compare neighbours, as in x[:-1] < x[1:]"
        )
    return cast(array, dtype=result)


def accumulated(ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """The running results of any other ufunc, from element to element along one axis."""
    array = converted(array, dtype)
    shape = spec_of(array).shape
    k = negative_axis(only_axis(axis), len(shape))
    if shape[k] == 0:
        return finished(ufunc(array, array), out)
    stacked = np.stack(steps(ufunc, array, k), axis=k)
    return finished(laid_out_by(stacked, np.add.accumulate, array, k), out)


def accumulate(primitive: Any) -> Callable[..., Any]:
    """``np.add.accumulate`` and the like, which go along the first axis by default."""

    def method(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        return running(primitive, array, only_axis(axis), dtype, out)

    return method


def extreme_accumulate(primitive: Any) -> Callable[..., Any]:
    """``np.maximum.accumulate`` and ``np.minimum.accumulate``."""

    def method(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        array, _ = in_dtype_of(out, converted(array, dtype))
        return finished(primitive(array, axis=negative_axis(only_axis(axis), len(spec_of(array).shape))), out)

    return method


def bounds(indices: Any, length: int) -> tuple[int, ...]:
    """The starts of segments as plain numbers."""
    starts = tuple(int(start) for start in np.asarray(peeled(indices)))
    for start in starts:
        if not 0 <= start < length:
            raise IndexError(
                f"index {start} is out of bounds for segments of an axis of length {length}{at_user_line()}"
            )
    return starts


def add_reduceat(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """The sum of each segment."""
    array = converted(array, dtype)
    k = negative_axis(only_axis(axis), len(spec_of(array).shape))
    sums = segment_sums(array, axis=k, indices=bounds(indices, spec_of(array).shape[k]))
    return finished(as_asked(sums, dtype), out)


def reduceat(ufunc: np.ufunc, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """The reduction of each segment by any other ufunc."""
    array = converted(array, dtype)
    shape = spec_of(array).shape
    k = negative_axis(only_axis(axis), len(shape))
    starts = bounds(indices, shape[k])
    rest = (slice(None),) * (-k - 1)
    parts = [
        ufunc.reduce(array[(..., slice(start, stop), *rest)], axis=k, initial=None)  # not from the identity
        for start, stop in segments(starts, shape[k])
    ]
    return finished(laid_out_by(np.stack(parts, axis=k), np.add.reduceat, array, starts, k), out)


def register() -> None:
    """Enter the methods of every ufunc that has a derivative rule."""
    for ufunc in list(UFUNCS):
        if ufunc.nin == 2 and ufunc.nout == 1:
            METHODS.setdefault((ufunc, "outer"), partial(outer, ufunc))
            METHODS.setdefault((ufunc, "reduce"), partial(folded, ufunc))
            METHODS.setdefault((ufunc, "accumulate"), partial(accumulated, ufunc))
            METHODS.setdefault((ufunc, "reduceat"), partial(reduceat, ufunc))


# fmt: off
METHODS[np.maximum,     "reduce"]     = extreme_reduce(max)
METHODS[np.minimum,     "reduce"]     = extreme_reduce(min)
METHODS[np.fmax,        "reduce"]     = extreme_reduce(nanmax)
METHODS[np.fmin,        "reduce"]     = extreme_reduce(nanmin)
METHODS[np.logical_or,  "reduce"]     = truth_reduce(np.logical_or, any)
METHODS[np.logical_and, "reduce"]     = truth_reduce(np.logical_and, all)
METHODS[np.logical_xor, "reduce"]     = truth_reduce(np.logical_xor, xor)
METHODS[np.logaddexp,   "reduce"]     = logaddexp_reduce
METHODS[np.add,         "accumulate"] = accumulate(cumulative.cumsum)
METHODS[np.multiply,    "accumulate"] = accumulate(cumulative.cumprod)
METHODS[np.maximum,     "accumulate"] = extreme_accumulate(cummax)
METHODS[np.minimum,     "accumulate"] = extreme_accumulate(cummin)
METHODS[np.add,         "reduceat"]   = add_reduceat
# fmt: on
