"""Medians and quantiles: the elements are sorted, and neighbours of a place between two elements are mixed.

The place, a fraction of an index, follows from the number of elements and ``q`` by one of the methods of Hyndman and
Fan, "Sample quantiles in statistical packages" (1996), or of NumPy. The derivative goes to the elements that are
mixed, by their stable order; and to ``q`` where the method is continuous in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.arrays.memory_order import contiguous, laid_out_like
from autodiff.numpy.arrays.outline import known
from autodiff.numpy.axes import Axes, existing_axes
from autodiff.numpy.dispatch import FUNCTIONS, as_operand, implements
from autodiff.numpy.statistics.moments import mean, not_a_number
from autodiff.numpy.statistics.reductions import NOTHING, finished, kept
from autodiff.numpy.statistics.weighted_quantiles import METHOD, sorted_with_weights, weighted_places
from autodiff.ops.elementwise import cast, isnan
from autodiff.ops.index import gather
from autodiff.ops.reductions.reduce import merged
from autodiff.ops.reductions.sort import argsort, pick
from autodiff.ops.shape import broadcast_to, reshape, with_ones, without
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete
from autodiff.trace.values.arrays import placed
from autodiff.trace.values.leaves import as_leaf

Place = tuple[Any, Any, Any]
"""The indices of two neighbours, and the weight of the second one; None where only the first counts."""


def between(place: Any, count: Any) -> Place:
    """The neighbours of a fractional index."""
    low = np.floor(place)
    return inside(low, count), inside(low + 1, count), place - low


def continuous(alpha: float, beta: float) -> Callable[[Any, Any], Place]:
    """The methods of Hyndman and Fan that mix neighbours, by their two parameters."""
    return lambda count, q: between(count * q + (alpha + q * (1 - alpha - beta)) - 1, count)


def whole(place: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Place]:
    """A method that takes one element."""

    def of(count: Any, q: Any) -> Place:
        index = inside(place(count, q), count)
        return index, index, None

    return of


def inside(index: Any, count: Any) -> Any:
    """A whole number, brought into the range of indices."""
    return cast(np.maximum(np.minimum(index, count - 1), 0), dtype=np.dtype(np.intp))


def midpoint(count: Any, q: Any) -> Place:
    """The mean of the two neighbours, or the element at a whole index."""
    place = (count - 1) * q
    return inside(np.floor(place), count), inside(np.ceil(place), count), np.where(place % 1 == 0, 0.0, 0.5)


def averaged(count: Any, q: Any) -> Place:
    """The upper neighbour, or the mean of both at a whole index."""
    low, high, weight = between(count * q - 1, count)
    return low, high, np.where(weight == 0, 0.5, 1.0)


def nearest_even(count: Any, q: Any) -> Any:
    """The nearest element, of two the one with an odd index: the even one, counted from one."""
    place = count * q - 1.5
    low = np.floor(place)
    return np.where(np.logical_and(place == low, low % 2 == 1), low, low + 1)


# fmt: off
METHODS: dict[str, Callable[[Any, Any], Place]] = {
    "linear":                    lambda count, q: between((count - 1) * q, count),
    "interpolated_inverted_cdf": continuous(0, 1),
    "hazen":                     continuous(0.5, 0.5),
    "weibull":                   continuous(0, 0),
    "median_unbiased":           continuous(1 / 3.0, 1 / 3.0),
    "normal_unbiased":           continuous(3 / 8.0, 3 / 8.0),
    "midpoint":                  midpoint,
    "averaged_inverted_cdf":     averaged,
    "inverted_cdf":              whole(lambda count, q: np.ceil(count * q - 1)),
    "closest_observation":       whole(nearest_even),
    "lower":                     whole(lambda count, q: np.floor((count - 1) * q)),
    "higher":                    whole(lambda count, q: np.ceil((count - 1) * q)),
    "nearest":                   whole(lambda count, q: np.rint((count - 1) * q)),
}
# fmt: on


def sorted_lines(a: Any, axes: Axes) -> Any:
    """The elements along the axes in ascending order, NaN last, as one last axis."""
    flat = merged(a, axes)
    return pick(flat, argsort(flat, axis=-1, kind="stable"), axis=-1)


def at(ordered: Any, index: Any) -> Any:
    """Elements of sorted lines, by one index for all lines, or by an index for each.

    The cotangents of all other elements are masked: an infinite slope there contributes nothing.
    """
    shape = (*spec_of(ordered).shape[:-1], spec_of(index).shape[-1])
    index = index if spec_of(index).shape == shape else broadcast_to(index, shape=shape)
    return gather(ordered, placed(index, ordered), rest=0, chosen=True)


def mixed(low: Any, high: Any, weight: Any) -> Any:
    """low + weight (high - low), from the nearer side, so that a weight of 1 gives the upper one exactly."""
    step = high - low
    return np.where(weight >= 0.5, high - step * (1 - weight), low + step * weight)


def spoiled(result: Any, bad: Any) -> Any:
    """The result with NaN, and NaN as its derivative, where it is bad."""
    plain = concrete(bad)
    if type(plain) is not Spec and not np.any(plain):
        return result
    return result * cast(np.where(bad, np.nan, 1.0), dtype=spec_of(result).dtype)


def found(ordered: Any, q: Any, method: str, count: Any, weak: bool) -> Any:
    """Quantiles of sorted lines, one for each element of the vector ``q``, along the last axis."""
    dtype = spec_of(ordered).dtype
    low, high, weight = METHODS[method](count, q)
    if weight is None:
        return at(ordered, low)
    both = at(ordered, np.concatenate([low, high], axis=-1))  # at once, so that one mask covers them
    size = spec_of(q).size
    below, above = both[..., :size], both[..., size:]
    if weak and dtype.kind == "f":
        step = above - below
        near, far = cast(weight, dtype=dtype), cast(1 - weight, dtype=dtype)
        return np.where(weight >= 0.5, above - step * far, below + step * near)
    return mixed(below, above, weight)


def quantiles(
    name: str, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: Any, weights: Any, skip_nan: bool, scale: int
) -> Any:
    """One of the functions of this file."""
    a = as_operand(a)
    own = spec_of(a)
    check(name, own, method, weights)
    if skip_nan and not own.size:  # the mean of nothing, whatever ``q`` is
        return FUNCTIONS[np.nanmean](a, axis, out=out, keepdims=keepdims)
    weak = type(q) in (int, float) or (isinstance(q, Traced) and q.spec.kind == "python")
    q = fractions(name, q if isinstance(q, Traced) else placed(np.asarray(q), a), scale)
    axes = existing_axes(axis, len(own.shape))
    flat_q = reshape(q, shape=(spec_of(q).size,))
    if weights is None:
        ordered, heavy = sorted_lines(a, axes), None
    else:
        ordered, heavy = sorted_with_weights(name, a, weights, axis, axes)
    missing = isnan(ordered) if own.inexact else None
    count: Any = spec_of(ordered).shape[-1]
    if skip_nan and missing is not None:
        count = np.sum(np.logical_not(missing), axis=-1, keepdims=True)
    if heavy is None:
        result = found(ordered, flat_q, method, count, weak)
    else:
        result = at(ordered, weighted_places(name, ordered, heavy, flat_q, skip_nan))
    if missing is not None:
        result = not_a_number(result, count == 0) if skip_nan else spoiled(result, missing[..., -1:])
    result = arranged(result, spec_of(q).shape, own.shape, axes, keepdims)
    return finished(result if skip_nan else contiguous(result), out)


def arranged(result: Any, of_q: tuple[int, ...], shape: tuple[int, ...], axes: Axes, keepdims: Any) -> Any:
    """Bring the axis of ``q`` to the front, and give it the shape of ``q``."""
    rest = kept_shape(shape, axes, keepdims)
    if not of_q:
        return result[0] if not rest else reshape(result, shape=rest)
    return reshape(np.moveaxis(result, -1, 0), shape=(*of_q, *rest))


def kept_shape(shape: tuple[int, ...], axes: Axes, keepdims: Any) -> tuple[int, ...]:
    """The shape of the result of a reduction."""
    return with_ones(shape, axes) if keepdims and keepdims is not NOTHING else without(shape, axes)


def check(name: str, own: Spec, method: str, weights: Any) -> None:
    """Refuse what has no quantiles here."""
    if own.dtype.kind == "c":
        raise TypeError(f"{name} needs real numbers, got {own!r}{at_user_line()}; complex ones have no order")
    if method not in METHODS:
        raise ValueError(f"{name} has no method {method!r}{at_user_line()}; the methods are {', '.join(METHODS)}")
    if weights is not None and method != METHOD:
        raise ValueError(f"{name} takes weights by the method {METHOD!r}, got {method!r}{at_user_line()}")


def fractions(name: str, q: Any, scale: int) -> Any:
    """The argument ``q`` as fractions of one, at most one axis."""
    q = as_operand(q)
    q = q if hasattr(q, "dtype") else np.asarray(as_leaf(q))
    q = q / scale if scale != 1 else q
    if len(spec_of(q).shape) > 2:
        raise ValueError(f"{name} needs q with at most two axes, got {spec_of(q)!r}{at_user_line()}")
    plain = concrete(q)
    if type(plain) is not Spec and not (np.all(plain >= 0) and np.all(plain <= 1)):
        raise ValueError(f"{name} needs q between 0 and {scale}{at_user_line()}")
    return q


def implement(function: Any, skip_nan: bool, scale: int) -> None:
    """Enter one of the four functions that differ in their scale and in what NaN does."""
    name = function.__name__

    @implements(function)
    def own(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
    ) -> Any:
        return quantiles(name, a, q, axis, out, method, keepdims, weights, skip_nan, scale)

    own.__name__ = name
    own.__doc__ = "The quantiles of the elements along axes, differentiable by the elements and by ``q``."
    globals()[name] = own


for _function, _skip_nan, _scale in (
    (np.quantile, False, 1),
    (np.percentile, False, 100),
    (np.nanquantile, True, 1),
    (np.nanpercentile, True, 100),
):
    implement(_function, _skip_nan, _scale)


@implements(np.median)
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    """The middle element along axes in ascending order, or the mean of the two in the middle."""
    a = as_operand(a)
    own = spec_of(a)
    axes = existing_axes(axis, len(own.shape))
    ordered = sorted_lines(a, axes)
    count = spec_of(ordered).shape[-1]
    result = mean(at(ordered, np.arange(max((count - 1) // 2, 0), min(count // 2 + 1, count))), axis=-1)
    if own.inexact and count:
        result = spoiled(result, isnan(ordered)[..., -1])
    return finished(like_a_mean(kept(result, own.shape, axes, keepdims), a, axes, copied=True), out)


@implements(np.nanmedian)
def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    """The median of the elements along axes that are not NaN."""
    a = as_operand(a)
    own = spec_of(a)
    if not own.inexact:
        return median(a, axis, out, overwrite_input, keepdims)
    if not own.size:
        return FUNCTIONS[np.nanmean](a, axis, out=out, keepdims=keepdims)
    axes = existing_axes(axis, len(own.shape))
    ordered = sorted_lines(a, axes)
    count = np.sum(np.logical_not(isnan(ordered)), axis=-1, keepdims=True)
    middle = np.concatenate([inside((count - 1) // 2, count), inside(count // 2, count)], axis=-1)
    result = not_a_number(mean(at(ordered, middle), axis=-1), count[..., 0] == 0)
    return finished(like_a_mean(kept(result, own.shape, axes, keepdims), a, axes, copied=False), out)


def like_a_mean(result: Any, a: Any, axes: Axes, copied: bool) -> Any:
    """A median along one axis, laid out in memory as the mean of elements that lie there as those of ``a`` do.

    NumPy's np.median sorts a copy, which lies otherwise where elements share memory; np.nanmedian does not.
    """
    plain = known(a)
    if len(axes) != 1 or not isinstance(plain, np.ndarray):
        return result
    corner = (np.empty_like(plain) if copied else plain)[(slice(2),) * plain.ndim]
    return laid_out_like(result, np.any(corner, axes, keepdims=spec_of(result).ndim == plain.ndim))
