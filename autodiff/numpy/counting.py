"""Histograms: counts have no derivative, sums of weights have one by the weights."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import as_operand, implements, peeled
from autodiff.numpy.index_keys import as_index
from autodiff.ops.elementwise import cast, greater_equal, less, logical_and, where
from autodiff.ops.index import scatter_add
from autodiff.ops.shape import reshape
from autodiff.ops.sort import searchsorted
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import dtype_or_python, spec_of
from autodiff.trace.traced import Traced


def sums(places: Any, weights: Any, length: int) -> Any:
    """The sum of the weights at each place."""
    return scatter_add(weights, places, length=length, rest=0, rank=1)


@implements(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """How often each whole number occurs, or the sum of its weights; differentiable by the weights."""
    x = as_index(peeled(x, "np.bincount"))
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
    place = searchsorted(edges, elements, side="right") - 1
    place = where(elements == edges[-1], length - 1, place)
    inside = logical_and(greater_equal(place, 0), less(place, length))
    each: Any = 1
    if weights is not None:
        weights = as_operand(weights)
        each = reshape(weights, shape=(spec_of(weights).size,))
    return sums(np.clip(place, 0, length - 1), where(inside, each, 0), length)


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
        return bins
    low, high = (np.min(a), np.max(a)) if range is None else range
    dtype = np.result_type(spec_of(a).dtype, *(dtype_or_python(spec_of(limit)) for limit in (low, high)))
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    margin = cast(where(low == high, 0.5, 0.0), dtype=dtype)
    return np.linspace(low - margin, high + margin, operator.index(bins) + 1, dtype=dtype)
