"""Histograms: counts have no derivative, sums of weights have one by the weights."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import as_operand, implements, peeled
from autodiff.numpy.items.keys import as_index
from autodiff.ops.elementwise import cast, greater_equal, less, logical_and, where
from autodiff.ops.index import scatter_add, slice_of
from autodiff.ops.reductions.sort import searchsorted
from autodiff.ops.shape import reshape
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, dtype_or_python, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete


def sums(places: Any, weights: Any, length: int) -> Any:
    """The sum of the weights at each place."""
    return scatter_add(weights, places, length=length, rest=0, rank=1)


@implements(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """How often each whole number occurs, or the sum of its weights; differentiable by the weights."""
    x = as_index(peeled(x, "np.bincount"))
    x = x.astype(np.intp) if x.dtype == bool else x  # as an index truth would be a mask
    if weights is None:
        return np.bincount(x, None, minlength)
    weights = as_operand(weights)
    if spec_of(weights).shape != x.shape:
        raise ValueError(f"bincount of {x.size} numbers got weights {spec_of(weights)!r}{at_user_line()}")
    length = len(np.bincount(x, None, operator.index(minlength)))
    return sums(x, cast(weights, dtype=np.dtype(np.float64)), length)


@implements(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many elements fall in each bin, or the sum of their weights, and the edges of the bins.

    Counts have the derivative 0 by the elements; sums are differentiable by the weights, and edges by the elements
    that they follow from.
    """
    a = as_operand(a)
    edges = bin_edges(a, bins, range, weights)
    counts = counts_between(reshape(a, shape=(spec_of(a).size,)), edges, weights)
    if density:
        counts = counts / np.diff(edges) / np.sum(counts)
    return counts, edges


def counts_between(elements: Any, edges: Any, weights: Any) -> Any:
    """How many elements, or which sum of weights, each bin has; the last bin contains its right edge."""
    length = spec_of(edges).size - 1
    place, inside = bins_of(elements, edges)
    return sums_inside(place, inside, weights, length)


def bins_of(elements: Any, edges: Any) -> tuple[Any, Any]:
    """The bin of each element, and whether there is one."""
    length = spec_of(edges).size - 1
    place = searchsorted(edges, elements, side="right") - 1
    place = where(elements == edges[-1], length - 1, place)
    inside = logical_and(greater_equal(place, 0), less(place, length))
    return np.clip(place, 0, length - 1), inside


def sums_inside(place: Any, inside: Any, weights: Any, length: int) -> Any:
    """How many elements are in each bin, or the sum of their weights."""
    each: Any = 1
    if weights is not None:
        weights = as_operand(weights)
        each = reshape(weights, shape=(spec_of(weights).size,))
    return sums(place, where(inside, each, 0), length)


@implements(np.histogramdd)
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many points fall in each box of a grid, or the sum of their weights, and the edges along each axis.

    The points are the rows of an array, or are given by one vector for each axis. Counts have the derivative 0 by the
    points; sums are differentiable by the weights, and edges by the points that they follow from.
    """
    columns = columns_of(sample)
    bins = list(bins) if is_sequence(bins) else [bins] * len(columns)
    limits = [None] * len(columns) if range is None else list(range)
    if not len(bins) == len(columns) == len(limits):
        raise ValueError(
            f"histogramdd of points with {len(columns)} coordinates got bins for {len(bins)} and ranges for "
            f"{len(limits)}{at_user_line()}; give one for each"
        )
    if weights is not None and spec_of(as_operand(weights)).dtype.kind == "c":
        raise TypeError(f"histogramdd sums real weights, got complex ones{at_user_line()}; sum both parts")
    edges = [bin_edges(*each) for each in zip(columns, bins, limits)]
    # As NumPy does, a box has a margin all around, which is cut off: so the result lies in memory with gaps.
    shape = tuple(spec_of(along).size + 1 for along in edges)
    place, inside = np.intp(0), np.bool_(True)
    for column, along, length in zip(columns, edges, shape):
        own, within = bins_of(column, along)
        place, inside = place * length + own + 1, logical_and(inside, within)
    counts = reshape(sums_inside(place, inside, weights, prod(shape)), shape=shape)
    counts = slice_of(cast(counts, dtype=np.dtype(np.float64)), key=((1, -1, None),) * len(edges))
    return normalised(counts, edges) if density else counts, list(edges)


def normalised(counts: Any, edges: Sequence[Any]) -> Any:
    """Counts as a density, whose integral is 1."""
    density = counts / np.sum(counts)
    for axis, along in enumerate(edges):
        widths = np.diff(along)
        lengths = tuple(spec_of(widths).size if k == axis else 1 for k, _ in enumerate(edges))
        density = density / reshape(widths, shape=lengths)
    return density


def is_sequence(bins: Any) -> bool:
    """Whether there is something for each axis, and not one number for all."""
    return isinstance(bins, (list, tuple)) or bool(getattr(bins, "shape", ()))


def columns_of(sample: Any) -> list[Any]:
    """The coordinates of points, each as a vector."""
    if isinstance(sample, (list, tuple)):
        columns = [as_index(as_operand(column)) for column in sample]
        dtype = np.result_type(*(spec_of(column).dtype for column in columns))
        return [column if spec_of(column).dtype == dtype else cast(column, dtype=dtype) for column in columns]
    if spec_of(sample).ndim == 1:
        return [sample]
    return [sample[:, k] for k in builtins.range(spec_of(sample).shape[1])]


@implements(np.histogram2d)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any, Any]:
    """How many points fall in each box of a plane, or the sum of their weights, and the edges along both axes."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if is_sequence(bins) and len(bins) not in (1, 2):  # the edges along both axes
        bins = [bins, bins]
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]


def check_edges(bins: Any) -> None:
    """Refuse edges that are known to fall."""
    plain = concrete(bins)
    if type(plain) is not Spec and np.any(np.less(plain[1:], plain[:-1])):
        raise ValueError(f"histogram needs edges that increase, got bins={plain!r}{at_user_line()}")


def check_limits(low: Any, high: Any, source: str) -> None:
    """Refuse the limits of a range that are known to be none."""
    plain = [concrete(limit) for limit in (low, high)]
    if any(type(limit) is Spec for limit in plain):
        return
    if not all(np.isfinite(limit) for limit in plain):
        raise ValueError(f"histogram needs finite limits, got {source} from {plain[0]} to {plain[1]}{at_user_line()}")
    if plain[0] > plain[1]:
        raise ValueError(f"histogram got range={tuple(plain)!r}{at_user_line()}; the larger limit comes second")


@implements(np.histogram_bin_edges)
def bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of the bins of a histogram, differentiable by the elements or the limits that they follow from."""
    a, bins = as_operand(a), as_operand(bins)
    if isinstance(bins, str):
        if isinstance(a, Traced):
            raise TypeError(
                f"histogram with bins={bins!r} chooses edges with a derivative that is not supported{at_user_line()}; "
                "compute the edges from stop_gradient(a), or give their number"
            )
        return np.histogram_bin_edges(a, bins, range, weights)
    if spec_of(bins).shape:
        check_edges(bins)
        return bins
    if operator.index(bins) < 1:
        raise ValueError(f"histogram needs one bin at least, got bins={bins!r}{at_user_line()}")
    given = range is not None
    if range is None:
        range = (np.min(a), np.max(a)) if spec_of(a).size else (0.0, 1.0)
    low, high = range
    check_limits(low, high, "range=" if given else "elements")
    dtype = np.result_type(spec_of(a).dtype, *(dtype_or_python(spec_of(limit)) for limit in (low, high)))
    dtype = dtype if dtype.kind in "fc" else np.dtype(np.float64)
    margin = cast(where(low == high, 0.5, 0.0), dtype=dtype)
    return np.linspace(low - margin, high + margin, operator.index(bins) + 1, dtype=dtype)
