"""Sums, products and extremes along axes, and tests of truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.axes import Axes, negative_axes
from autodiff.numpy.dispatch import as_operand, implements, implements_method, write_whole
from autodiff.ops.elementwise import cast, maximum, minimum, where
from autodiff.ops.reductions import reduce
from autodiff.ops.shape import broadcast_to, reshape, sum_axes, with_ones
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import spec_of
from autodiff.trace.values.leaves import as_leaf

NOTHING: Any = np._NoValue
"""What NumPy's signatures have where an argument was not given."""


def kept(result: Any, shape: tuple[int, ...], axes: Axes, keepdims: Any) -> Any:
    """The result of a reduction, with its axes as axes of length one where they are wanted."""
    if keepdims is False or keepdims is NOTHING or not keepdims:
        return result
    return reshape(result, shape=with_ones(shape, axes))


def finished(result: Any, out: Any) -> Any:
    """A result, written into the array given as ``out=``, which has its shape."""
    return result if out is None else write_whole(out, result)


def in_dtype_of(out: Any, a: Any, dtype: Any = None) -> tuple[Any, Any]:
    """The operand and dtype of a reduction: where none is asked for, NumPy computes in the one of ``out=``.

    What NumPy would cut off on the way, floating-point numbers in whole ones, is refused when it is written.
    """
    own, its = spec_of(a).dtype, None if out is None else spec_of(out).dtype
    if its is None or dtype is not None or not np.can_cast(own, its, "same_kind"):
        return a, dtype
    return a if own == its else cast(a, dtype=its), its


def given(mask: Any) -> bool:
    """Whether ``where=`` leaves anything out."""
    return mask is not True and mask is not NOTHING


def started(initial: Any) -> bool:
    """Whether ``initial=`` gives a number to start with; None asks for none, as leaving it away does."""
    return initial is not NOTHING and initial is not None


def mask_like(mask: Any, shape: tuple[int, ...]) -> Any:
    """The argument ``where=`` of a reduction, in the shape of what is reduced."""
    mask = as_operand(mask)
    mask = mask if hasattr(mask, "dtype") else np.asarray(as_leaf(mask))
    if mask.dtype != bool:
        mask = cast(mask, dtype=np.dtype(bool))
    return mask if mask.shape == shape else broadcast_to(mask, shape=shape)


def widened(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of a sum, product or running sum where none is asked for: small integers have results of 64 bits."""
    found: np.dtype[Any] = np.add.reduce(np.empty(0, dtype)).dtype
    return found


def as_asked(result: Any, dtype: Any) -> Any:
    """A sum or product of 64 bits in the smaller dtype that was asked for: it wraps around as one made in it does."""
    return result if dtype is None or spec_of(result).dtype == dtype else cast(result, dtype=np.dtype(dtype))


def total(x: Any, axes: Axes, dtype: Any = None, mask: Any = True, start: Any = NOTHING) -> Any:
    """The sum along axes, in a dtype, of the elements where the mask is true."""
    own = spec_of(x)
    if given(mask) or started(start):
        dtype = widened(own.dtype) if dtype is None else np.dtype(dtype)
        mask = mask_like(mask, own.shape) if given(mask) else True
        if started(start):
            return reduce.sum_from(x, mask, start, axes=axes, dtype=dtype)
        return reduce.sum_where(x, mask, axes=axes, dtype=dtype)
    if dtype is None or dtype == own.dtype == widened(own.dtype):
        return sum_axes(x, axes=axes)
    return reduce.sum_as(x, axes=axes, dtype=np.dtype(dtype))


@implements(np.sum)
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOTHING,
    where: Any = True,
) -> Any:
    """The sum of the elements along axes; what ``where`` leaves out contributes nothing, to the derivative too."""
    if dtype is None and out is None and keepdims is False and initial is NOTHING and where is True:  # as mostly
        a = as_operand(a)
        return sum_axes(a, axes=negative_axes(axis, spec_of(a).ndim))
    a, dtype = in_dtype_of(out, as_operand(a), dtype)
    shape = spec_of(a).shape
    axes = negative_axes(axis, len(shape))
    return finished(kept(total(a, axes, dtype, where, initial), shape, axes, keepdims), out)


@implements_method(np.add, "reduce")
def add_reduce(
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOTHING,
    where: Any = True,
) -> Any:
    """As ``np.sum``, along the first axis by default."""
    return sum(array, axis, dtype, out, keepdims, initial, where)


@implements(np.prod)
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOTHING,
    where: Any = True,
) -> Any:
    """The product of the elements along axes. Zeros are elements like others: ``[0, 2, 3]`` has gradient [6, 0, 0]."""
    a, dtype = in_dtype_of(out, as_operand(a), dtype)
    shape = spec_of(a).shape
    axes = negative_axes(axis, len(shape))
    if dtype is not None:
        a = cast(a, dtype=np.dtype(dtype))
    if given(where):
        a = selected(a, mask_like(where, shape), 1)
    result = kept(as_asked(reduce.prod_axes(a, axes=axes), dtype), shape, axes, keepdims)
    if started(initial):
        result = result * cast(as_operand(initial), dtype=spec_of(result).dtype)
    return finished(result, out)


@implements_method(np.multiply, "reduce")
def multiply_reduce(
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOTHING,
    where: Any = True,
) -> Any:
    """As ``np.prod``, along the first axis by default."""
    return prod(array, axis, dtype, out, keepdims, initial, where)


def selected(x: Any, mask: Any, otherwise: Any) -> Any:
    """The elements where the mask is true, and a number elsewhere."""
    return where(mask, x, otherwise)


def lowest(dtype: np.dtype[Any]) -> Any:
    """A number that is smaller than all others of a dtype."""
    if dtype.kind == "b":
        return False
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).min)
    return complex(-np.inf, -np.inf) if dtype.kind == "c" else -np.inf


def highest(dtype: np.dtype[Any]) -> Any:
    """A number that is larger than all others of a dtype."""
    if dtype.kind == "b":
        return True
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max)
    return complex(np.inf, np.inf) if dtype.kind == "c" else np.inf


def extreme(
    name: str,
    primitive: Primitive,
    a: Any,
    axis: Any,
    out: Any,
    keepdims: Any,
    initial: Any,
    mask: Any,
) -> Any:
    """The largest or smallest element along axes."""
    a, _ = in_dtype_of(out, as_operand(a))
    own = spec_of(a)
    axes = negative_axes(axis, len(own.shape))
    worst, join = (lowest, maximum) if primitive is reduce.max_axes else (highest, minimum)
    if given(mask):
        if not started(initial):
            raise ValueError(
                f"reduction operation '{name}' does not have an identity, so to use a where mask one has to specify "
                "'initial'"
            )
        a = selected(a, mask_like(mask, own.shape), worst(own.dtype))
    if not started(initial):
        return finished(kept(primitive(a, axes=axes), own.shape, axes, keepdims), out)
    initial = cast(as_operand(initial), dtype=own.dtype)
    if any(own.shape[k] == 0 for k in axes):
        lengths = tuple(length for k, length in enumerate(own.shape, -len(own.shape)) if k not in axes)
        result = broadcast_to(initial, shape=lengths) if lengths else initial
    else:
        result = join(primitive(a, axes=axes), initial)
    return finished(kept(result, own.shape, axes, keepdims), out)


@implements(np.max, np.amax)
def max(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = NOTHING, where: Any = True
) -> Any:
    """The largest element along axes. k equal ones get 1/k of the derivative each; NaN has the derivative NaN."""
    return extreme("maximum", reduce.max_axes, a, axis, out, keepdims, initial, where)


@implements(np.min, np.amin)
def min(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = NOTHING, where: Any = True
) -> Any:
    """The smallest element along axes. k equal ones get 1/k of the derivative each; NaN has the derivative NaN."""
    return extreme("minimum", reduce.min_axes, a, axis, out, keepdims, initial, where)
