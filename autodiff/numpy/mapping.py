"""NumPy's functions that call a function for parts of an array."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from autodiff.numpy.arrays.joining import stack
from autodiff.numpy.arrays.shapes import expand_dims, moveaxis, reshape
from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.ops.elementwise import cast
from autodiff.ops.index import slice_of
from autodiff.ops.shape import transpose
from autodiff.trace.spec import spec_of


@implements(np.apply_along_axis)
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """The results of a function for all lines along an axis, in the place of the lines."""
    x = as_operand(arr)
    ndim = spec_of(x).ndim
    axis = negative_axis(axis, ndim) + ndim
    lines = moveaxis(x, axis, -1)
    lead = spec_of(lines).shape[:-1]
    if 0 in lead:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    whole = (None, None, None)
    rows = [as_operand(func1d(slice_of(lines, key=(*at, whole)), *args, **kwargs)) for at in product(*map(range, lead))]
    first = spec_of(rows[0])
    rows = [row if spec_of(row).dtype == first.dtype else cast(row, dtype=first.dtype) for row in rows]
    result = reshape(stack(rows), (*lead, *first.shape))
    total, own = len(lead) + first.ndim, first.ndim
    order = (*range(axis), *range(total - own, total), *range(axis, total - own))
    return transpose(result, axes=tuple(k - total for k in order)) if own else result


@implements(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """A function of an array and an axis, applied for each of several axes; none of them disappears."""
    value = as_operand(a)
    ndim = spec_of(value).ndim
    for axis in (axes,) if np.ndim(axes) == 0 else axes:
        axis = ndim + axis if axis < 0 else axis
        result = func(value, axis)
        if spec_of(result).ndim != ndim:
            result = expand_dims(result, axis)
        if spec_of(result).ndim != ndim:
            raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value
