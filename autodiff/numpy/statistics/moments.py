"""Means, variances and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from autodiff.numpy.axes import Axes, existing_axes
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.statistics.reductions import NOTHING, finished, given, kept, mask_like, max, min, total
from autodiff.ops.elementwise import cast, imag, maximum, real, square
from autodiff.ops.elementwise import where as where_true
from autodiff.ops.reductions import reduce
from autodiff.ops.shape import broadcast_to, reshape, sum_axes, transpose
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete

EXACT = 2**24
"""Whole numbers up to here are exact in single precision."""


def quotient(dividend: Any, count: Any) -> Any:
    """A sum divided by how many were summed, in the dtype of the sum and rounded once, as NumPy does."""
    dtype = spec_of(dividend).dtype
    if isinstance(count, (int, float)) and (dtype.char in "dgDG" or (dtype.char == "f" and _exact(count))):
        return dividend / (count.item() if isinstance(count, np.generic) else count)  # NumPy's would decide the dtype
    known = np.dtype(np.float32) if dtype.kind == "V" else dtype  # bfloat16: NumPy has no dtype for it and a number
    wide = np.result_type(known, np.intp if spec_of(count).dtype.kind in "biu" else np.float64)
    return cast(cast(dividend, dtype=wide) / count, dtype=dtype)


def of_something(result: Any, count: Any) -> Any:
    """A mean or variance whose derivative is 0 where nothing was summed, and the value not a number.

    The sum of nothing does not depend on anything; divided by zero its derivative would be no number in forward mode.
    """
    return result if isinstance(count, (int, float)) else not_a_number(result, count == 0)


def not_a_number(result: Any, empty: Any) -> Any:
    """The result, and where it is of no elements NaN that depends on nothing."""
    known = concrete(empty)
    if not isinstance(known, Spec) and not np.any(known):
        return result
    found = where_true(empty, cast(np.nan, dtype=spec_of(result).dtype), result)
    return found[()] if spec_of(result).kind == "scalar" else found


def _exact(count: float) -> bool:
    return -EXACT <= count <= EXACT and float(np.float32(count)) == count


def count_along(shape: tuple[int, ...], axes: Axes, mask: Any) -> Any:
    """How many elements are reduced: an int, or an array of ints where there is a mask."""
    if given(mask):
        return sum_axes(mask_like(mask, shape), axes=axes)
    count = 1
    for k in axes:
        count *= shape[k]
    return count


def sum_dtype(dtype: np.dtype[Any], asked: Any) -> Any:
    """In which dtype NumPy sums for a mean: whole numbers in double precision."""
    return np.dtype(np.float64) if asked is None and dtype.kind in "biu" else asked


@implements(np.mean)
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """The sum of the elements along axes divided by their number; numbers of 16 bits are summed in float32."""
    a = as_operand(a)
    own = spec_of(a)
    plain = dtype is None and out is None and keepdims is False and where is True
    if plain and own.size and own.dtype.char in "dfDF":  # as mostly
        axes = existing_axes(axis, len(own.shape))
        return quotient(sum_axes(a, axes=axes), count_along(own.shape, axes, True))
    axes = existing_axes(axis, len(own.shape))
    half = dtype is None and own.inexact and own.dtype.itemsize == 2
    summed = total(a, axes, np.float32 if half else sum_dtype(own.dtype, dtype), where)
    count = count_along(own.shape, axes, where)
    if half and spec_of(summed).kind == "scalar":
        result = cast(cast(summed, dtype=np.dtype(np.float64)) / count, dtype=own.dtype)
    else:
        result = quotient(summed, count)
        result = cast(result, dtype=own.dtype) if half and out is None else result
    return finished(kept(of_something(result, count), own.shape, axes, keepdims), out)


def squares(x: Any) -> Any:
    """The squared absolute values."""
    if spec_of(x).dtype.kind == "c":
        return square(real(x)) + square(imag(x))
    return square(x)


def variance(
    a: Any, axis: Any, dtype: Any, ddof: Any, keepdims: Any, mask: Any, given_mean: Any, correction: Any
) -> Any:
    """The mean squared distance from the mean."""
    a = as_operand(a)
    own = spec_of(a)
    axes = existing_axes(axis, len(own.shape))
    ddof = degrees(ddof, correction)
    dtype = sum_dtype(own.dtype, dtype)
    count = count_along(own.shape, axes, mask)
    if given_mean is NOTHING or given_mean is None:
        centre = kept(quotient(total(a, axes, dtype, mask), count), own.shape, axes, True)
    else:
        centre = as_operand(given_mean)
    summed = total(squares(a - centre), axes, dtype, mask)
    freedom = count - (ddof.item() if isinstance(ddof, np.generic) else ddof)
    freedom = (freedom if freedom > 0 else 0) if isinstance(freedom, (int, float)) else maximum(freedom, 0)
    return kept(of_something(quotient(summed, freedom), count), own.shape, axes, keepdims)


def degrees(ddof: Any, correction: Any) -> Any:
    """What is subtracted from the number of elements: the argument ``ddof``, or its other name."""
    if correction is NOTHING:
        return ddof
    if ddof != 0:
        raise ValueError(
            f"ddof={ddof} and correction={correction} were both given{at_user_line()}; they are one argument"
        )
    return correction


@implements(np.var)
def var(
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
    """The mean squared distance of the elements from their mean along axes."""
    return finished(variance(a, axis, dtype, ddof, keepdims, where, mean, correction), out)


@implements(np.std)
def std(
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
    """The square root of the variance. Of equal elements it is 0 with derivative 0, the smallest subgradient."""
    found = variance(a, axis, dtype, ddof, keepdims, where, mean, correction)
    root = reduce.root(found)
    whole = dtype is not None and np.dtype(dtype).kind in "biu"
    return finished(cast(root, dtype=np.dtype(dtype)) if whole else root, out)


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """The largest element along axes minus the smallest."""
    return finished(max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims), out)


@implements(np.average)
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    """The mean of the elements along axes, each as often as its weight says; differentiable by the weights too."""
    a = as_operand(a)
    own = spec_of(a)
    axes = existing_axes(axis, len(own.shape))
    if weights is None:
        result = mean(a, axis, keepdims=keepdims)
        if not spec_of(result).size:
            raise ZeroDivisionError("division by zero")  # as NumPy does, who counts elements for each mean
        scale = np.asarray(count_along(own.shape, axes, True), spec_of(result).dtype)[()]
    else:
        weights = aligned_weights(as_operand(weights), own.shape, axis)
        dtype = np.result_type(own.dtype, spec_of(weights).dtype, *((np.float64,) if own.dtype.kind in "biu" else ()))
        scale = kept(total(weights, axes, dtype), own.shape, axes, keepdims)
        refuse_zero(scale)
        products = cast(a, dtype=dtype) * cast(weights, dtype=dtype)
        result = kept(total(products, axes), own.shape, axes, keepdims) / scale
    if not returned:
        return result
    shape = spec_of(result).shape
    return result, scale if spec_of(scale).shape == shape else np.copy(broadcast_to(scale, shape=shape))


def aligned_weights(weights: Any, shape: tuple[int, ...], axis: Any, name: str = "average") -> Any:
    """Weights in the shape of the array; a vector, or weights for some axes, are repeated along the others."""
    its = spec_of(weights).shape
    if its == shape:
        return weights
    if axis is None:
        raise TypeError(
            f"{name} got weights {its} for an array {shape}{at_user_line()}; name the axis that they are for"
        )
    named = normalize_axis_tuple(axis, len(shape))
    if its != tuple(shape[k] for k in named):
        raise ValueError(f"{name} got weights {its} for the axes {named} of an array {shape}{at_user_line()}")
    order = sorted(range(len(named)), key=lambda place: named[place])
    weights = transpose(weights, axes=tuple(place - len(named) for place in order))
    ones = tuple(length if k in named else 1 for k, length in enumerate(shape))
    return broadcast_to(reshape(weights, shape=ones), shape=shape)


def refuse_zero(scale: Any) -> None:
    """Refuse weights that sum to zero."""
    plain = concrete(scale)
    if type(plain) is not Spec and np.any(plain == 0):
        raise ZeroDivisionError(f"average: the weights sum to zero{at_user_line()}")
