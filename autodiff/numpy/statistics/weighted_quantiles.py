"""Quantiles of elements that count as their weights say: the inverse of the weighted distribution function.

An element is picked, so that the derivative goes there; by the weights and by ``q`` the function is piecewise constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.arrays.outline import known
from autodiff.numpy.axes import Axes
from autodiff.numpy.dispatch import as_operand
from autodiff.numpy.statistics.moments import aligned_weights
from autodiff.ops.elementwise import cast, isnan, less, where
from autodiff.ops.reductions.reduce import merged
from autodiff.ops.reductions.sort import argsort, pick
from autodiff.ops.shape import reshape
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of

METHOD = "inverted_cdf"
"""The method that weights have a meaning for."""


def sorted_with_weights(name: str, a: Any, weights: Any, axis: Any, axes: Axes) -> tuple[Any, Any]:
    """The elements along the axes in ascending order, NaN last, as one last axis, and their weights."""
    weights = aligned_weights(as_operand(weights), spec_of(a).shape, axis, name)
    plain = known(weights)
    if not isinstance(plain, Spec) and np.any(plain < 0):
        raise ValueError(f"{name} got negative weights{at_user_line()}; they count elements")
    flat, weights = merged(a, axes), merged(weights, axes)
    order = argsort(flat, axis=-1, kind="stable")
    return pick(flat, order, axis=-1), pick(weights, order, axis=-1)


def weighted_places(name: str, ordered: Any, weights: Any, q: Any, skip_nan: bool) -> Any:
    """The indices of quantiles among sorted elements, one for each element of the vector ``q``, along the last axis."""
    if skip_nan and spec_of(ordered).inexact:
        weights = where(isnan(ordered), 0, weights)
    below = np.cumsum(cast(weights, dtype=np.dtype(np.float64)), axis=-1)
    below = below / below[..., -1:]
    refuse_no_weight(name, known(ordered), known(below), skip_nan)
    if spec_of(q).dtype.kind == "f":
        below = cast(below, dtype=spec_of(q).dtype)
    below = where(below == 0, -1, below)  # what has no weight is not even the smallest element
    smaller = less(reshape(below, shape=(*spec_of(below).shape[:-1], 1, spec_of(below).shape[-1])), q[:, None])
    return np.minimum(np.sum(smaller, axis=-1), spec_of(ordered).shape[-1] - 1)


def refuse_no_weight(name: str, ordered: Any, below: Any, skip_nan: bool) -> None:
    """Refuse weights whose sum is no positive number, of lines that have elements that count."""
    if isinstance(below, Spec) or isinstance(ordered, Spec):
        return
    lost = np.isnan(below[..., -1])
    if skip_nan:
        lost = lost & np.any(ordered == ordered, axis=-1)
    if np.any(lost):
        raise ValueError(f"the weights of {name} are NaN, infinite or all zero{at_user_line()}")
