"""Running sums and products."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autodiff.numpy.arrays.memory_order import laid_out_by
from autodiff.numpy.axes import negative_axis, only_axis
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.statistics.reductions import as_asked, finished, in_dtype_of, selected
from autodiff.ops.elementwise import cast, isnan, logical_not
from autodiff.ops.reductions import cumulative as ops
from autodiff.ops.shape import reshape
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.values.arrays import module_of


def running(primitive: Primitive, a: Any, axis: Any, dtype: Any, out: Any) -> Any:
    """One of the running reductions along an axis, or over the flattened array."""
    a, dtype = in_dtype_of(out, as_operand(a), dtype)
    if dtype is not None and spec_of(a).dtype != dtype:
        a = cast(a, dtype=np.dtype(dtype))
    if axis is None or not spec_of(a).shape:
        a, axis = reshape(a, shape=(spec_of(a).size,)), -1 if axis is None else operator.index(axis)
    found = primitive(a, axis=negative_axis(axis, len(spec_of(a).shape)), reverse=False)
    return finished(as_asked(found, dtype), out)


@implements(np.cumsum)
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """The running sum along an axis, or over the flattened array."""
    return running(ops.cumsum, a, axis, dtype, out)


@implements(np.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """The running product along an axis, or over the flattened array; zeros are elements like others."""
    return running(ops.cumprod, a, axis, dtype, out)


def numbers_only(a: Any, otherwise: float) -> Any:
    """The array with a number in place of NaN; what stood there has derivative 0."""
    a = as_operand(a)
    return selected(a, logical_not(isnan(a)), otherwise) if spec_of(a).inexact else a


@implements(np.nancumsum)
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """The running sum of the elements that are not NaN."""
    return cumsum(numbers_only(a, 0), axis, dtype, out)


@implements(np.nancumprod)
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """The running product of the elements that are not NaN."""
    return cumprod(numbers_only(a, 1), axis, dtype, out)


def array_api(name: str, primitive: Primitive, start: int, x: Any, axis: Any, dtype: Any, initial: bool) -> Any:
    """A running reduction as the array API has it: one axis, and on demand the value before the first element."""
    x = np.atleast_1d(as_operand(x))
    ndim = len(spec_of(x).shape)
    if axis is None:
        if ndim != 1:
            raise ValueError(f"{name} of an array with {ndim} axes needs axis={at_user_line()}")
        axis = -1
    axis = only_axis(axis)
    result = running(primitive, x, axis, dtype, None)
    if not initial:
        return result
    shape = list(spec_of(result).shape)
    shape[axis] = 1
    first = module_of(result).full(shape, start, dtype=spec_of(result).dtype)
    first = laid_out_by(first, lambda plain: np.empty_like(plain, shape=shape), result)
    return np.concatenate([first, result], axis=axis)


if hasattr(np, "cumulative_sum"):  # NumPy 2.1

    @implements(np.cumulative_sum)
    def cumulative_sum(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        """The running sum along an axis, from zero on with ``include_initial``."""
        return finished(array_api("cumulative_sum", ops.cumsum, 0, x, axis, dtype, include_initial), out)

    @implements(np.cumulative_prod)
    def cumulative_prod(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        """The running product along an axis, from one on with ``include_initial``."""
        return finished(array_api("cumulative_prod", ops.cumprod, 1, x, axis, dtype, include_initial), out)
