"""Tests of truth, counting, and the places of extreme elements: nothing here has a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.axes import negative_axes, negative_axis
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.statistics.reductions import NOTHING, finished, given, kept, mask_like, selected, total
from autodiff.ops.elementwise import isnan, not_equal
from autodiff.ops.reductions import reduce
from autodiff.ops.shape import reshape
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import spec_of


def truth(primitive: Primitive, a: Any, axis: Any, out: Any, keepdims: Any, mask: Any, neutral: bool) -> Any:
    """One of the reductions of logic."""
    a = as_operand(a)
    shape = spec_of(a).shape
    axes = negative_axes(axis, len(shape))
    if given(mask):
        a = selected(as_bool(a), mask_like(mask, shape), neutral)
    return finished(kept(primitive(a, axes=axes), shape, axes, keepdims), out)


def as_bool(a: Any) -> Any:
    """Whether elements differ from zero."""
    return a if spec_of(a).dtype == bool else not_equal(a, 0)


@implements(np.any)
def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    """Whether an element along axes is true. Its derivative is zero everywhere."""
    return truth(reduce.any_axes, a, axis, out, keepdims, where, False)


@implements(np.all)
def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    """Whether all elements along axes are true. Its derivative is zero everywhere."""
    return truth(reduce.all_axes, a, axis, out, keepdims, where, True)


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """How many elements along axes differ from zero. Its derivative is zero everywhere."""
    a = as_operand(a)
    shape = spec_of(a).shape
    axes = negative_axes(axis, len(shape))
    return kept(total(as_bool(a), axes, np.intp), shape, axes, keepdims)


def place_of(primitive: Primitive, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    """The place of an extreme element along one axis, or in the flattened array."""
    a = as_operand(a)
    shape = spec_of(a).shape
    if axis is None or (not shape and axis in (0, -1)):  # NumPy lets numbers have an axis 0 here
        place = primitive(reshape(a, shape=(spec_of(a).size,)), axis=-1)
        return finished(kept(place, shape, negative_axes(None, len(shape)), keepdims), out)
    k = negative_axis(axis, len(shape))
    return finished(kept(primitive(a, axis=k), shape, (k,), keepdims), out)


@implements(np.argmax)
def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """The place of the first largest element. Its derivative is zero everywhere."""
    return place_of(reduce.argmax, a, axis, out, keepdims)


@implements(np.argmin)
def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """The place of the first smallest element. Its derivative is zero everywhere."""
    return place_of(reduce.argmin, a, axis, out, keepdims)


@implements(np.nanargmax)
def nanargmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NOTHING) -> Any:
    """The place of the first largest element that is not NaN."""
    return place_of(reduce.argmax, without_nan(a, axis, -np.inf), axis, out, keepdims)


@implements(np.nanargmin)
def nanargmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NOTHING) -> Any:
    """The place of the first smallest element that is not NaN."""
    return place_of(reduce.argmin, without_nan(a, axis, np.inf), axis, out, keepdims)


def without_nan(a: Any, axis: Any, otherwise: float) -> Any:
    """The array with a number in place of NaN; some element must be a number."""
    a = as_operand(a)
    if not spec_of(a).inexact:
        return a
    missing = isnan(a)
    nowhere = all(missing, axis)
    if isinstance(nowhere, (np.ndarray, np.generic)) and nowhere.any():
        raise ValueError("All-NaN slice encountered")
    return selected(a, np.logical_not(missing), otherwise)
