"""Reductions that leave NaN out: it contributes nothing, and its derivative is 0, also where nothing else is there."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.axes import negative_axes
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.statistics.cumulative import numbers_only
from autodiff.numpy.statistics.moments import degrees, mean, not_a_number, of_something, quotient, var
from autodiff.numpy.statistics.quantiles import spoiled
from autodiff.numpy.statistics.reductions import (
    NOTHING,
    extreme,
    finished,
    given,
    highest,
    kept,
    lowest,
    mask_like,
    prod,
    selected,
    started,
    sum,
)
from autodiff.ops.elementwise import cast, conjugate, isnan, logical_and, logical_not, real, where
from autodiff.ops.reductions import reduce
from autodiff.ops.reductions.reduce import all_axes, root
from autodiff.ops.shape import reshape, sum_axes, with_ones
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


@implements(np.nansum)
def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOTHING,
    where: Any = True,
) -> Any:
    """The sum of the elements that are not NaN."""
    return sum(numbers_only(a, 0), axis, dtype, out, keepdims, initial, where)


@implements(np.nanprod)
def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOTHING,
    where: Any = True,
) -> Any:
    """The product of the elements that are not NaN."""
    return prod(numbers_only(a, 1), axis, dtype, out, keepdims, initial, where)


def numbers(a: Any, mask: Any) -> Any:
    """Where the array has numbers that count."""
    present = logical_not(isnan(a))
    return logical_and(present, mask_like(mask, spec_of(a).shape)) if given(mask) else present


def extreme_number(
    name: str, primitive: Primitive, worst: Any, a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, mask: Any
) -> Any:
    """The largest or smallest element that is not NaN; NaN where there is none."""
    a = as_operand(a)
    own = spec_of(a)
    if not own.inexact:
        return extreme(name, primitive, a, axis, out, keepdims, initial, mask)
    filled = selected(a, logical_not(isnan(a)), worst(own.dtype))
    result = extreme(name, primitive, filled, axis, None, keepdims, initial, mask)
    if not started(initial):
        axes = negative_axes(axis, len(own.shape))
        result = not_a_number(result, kept(all_axes(isnan(a), axes=axes), own.shape, axes, keepdims))
    return finished(result, out)


@implements(np.nanmax)
def nanmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = NOTHING, where: Any = True
) -> Any:
    """The largest element that is not NaN. k equal ones get 1/k of the derivative each."""
    return extreme_number("fmax", reduce.max_axes, lowest, a, axis, out, keepdims, initial, where)


@implements(np.nanmin)
def nanmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = NOTHING, where: Any = True
) -> Any:
    """The smallest element that is not NaN. k equal ones get 1/k of the derivative each."""
    return extreme_number("fmin", reduce.min_axes, highest, a, axis, out, keepdims, initial, where)


@implements(np.nanmean)
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """The mean of the elements that are not NaN; NaN where there is none."""
    a = as_operand(a)
    own = spec_of(a)
    if not own.inexact:
        return mean(a, axis, dtype, out, keepdims, where=where)
    if dtype is not None and np.dtype(dtype).kind not in "fc":
        raise TypeError(f"nanmean of {own!r} got dtype={dtype!r}{at_user_line()}; NumPy takes floating ones only")
    axes = negative_axes(axis, len(own.shape))
    count = sum_axes(numbers(a, where), axes=axes)
    summed = sum(numbers_only(a, 0), axis, dtype, where=where)
    with np.errstate(invalid="ignore", divide="ignore"):
        result = of_something(quotient(summed, count), count)
    return finished(kept(result, own.shape, axes, keepdims), out)


def number_variance(
    a: Any, axis: Any, dtype: Any, ddof: Any, keepdims: Any, mask: Any, given_mean: Any, correction: Any
) -> Any:
    """The variance of the elements that are not NaN; NaN where there are too few."""
    a = as_operand(a)
    own = spec_of(a)
    if not own.inexact:
        return var(a, axis, dtype, None, ddof, keepdims, where=mask, mean=given_mean, correction=correction)
    axes = negative_axes(axis, len(own.shape))
    present = numbers(a, mask)
    count = sum_axes(present, axes=axes)
    filled = numbers_only(a, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        if given_mean is NOTHING:
            summed = sum(filled, axis, dtype, keepdims=True, where=mask)
            given_mean = quotient(summed, reshape(count, shape=with_ones(own.shape, axes)))
        distance = where(present, cast(filled - given_mean, dtype=own.dtype), 0)
        freedom = count - degrees(ddof, correction)
        result = quotient(sum(real(distance * conjugate(distance)), axis, dtype), freedom)
    return kept(of_something(spoiled(result, freedom <= 0), count), own.shape, axes, keepdims)


@implements(np.nanvar)
def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = NOTHING,
    correction: Any = NOTHING,
) -> Any:
    """The mean squared distance from their mean of the elements that are not NaN."""
    return finished(number_variance(a, axis, dtype, ddof, keepdims, where, mean, correction), out)


@implements(np.nanstd)
def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = NOTHING,
    correction: Any = NOTHING,
) -> Any:
    """The square root of that variance; where it is 0, its derivative is 0."""
    return finished(root(number_variance(a, axis, dtype, ddof, keepdims, where, mean, correction)), out)
