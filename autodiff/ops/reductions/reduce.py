"""Reductions beyond the plain sum: sums with a mask or in another dtype, extremes, products, and tests of truth.

Axes are negative numbers, counted from the end, and disappear from the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.ops.elementwise import (
    cast,
    equal,
    isnan,
    logical_not,
    logical_or,
    where,
)
from autodiff.ops.masked import Masked, masked
from autodiff.ops.on_chunks import reductions as in_chunks
from autodiff.ops.on_gpu import reductions
from autodiff.ops.reductions.cumulative import products_of_others
from autodiff.ops.shape import (
    PLAIN,
    Axes,
    Shape,
    broadcast_to,
    inverse_permutation,
    reshape,
    spread,
    sum_axes,
    sum_to,
    transpose,
    with_ones,
    without,
)
from autodiff.trace.facts import ADDED, ALL, ANY, LARGEST, MULTIPLIED, SMALLEST, Facts, Fold, floating
from autodiff.trace.parameters import AXES, AXIS, DTYPE, require, same
from autodiff.trace.primitive import Primitive, elementwise, general, linear
from autodiff.trace.spec import Spec, native, result_spec, spec_of

# Sums.


def _check_sum(x: Spec, dtype: Any) -> None:
    require(np.can_cast(x.dtype, dtype, "same_kind"), f"elements of {x.dtype} cannot be summed up as {dtype}")


def _check_masked_sum(x: Spec, mask: Spec, start: Spec | None, dtype: Any) -> None:
    """The mask is an array of the shape of the operand, or True."""
    _check_sum(x, dtype)
    same("the dtype of a mask and bool", mask.dtype, np.dtype(bool))
    if mask.kind != "python":
        same("the shapes of operand and mask", x.shape, mask.shape)
    if start is not None:
        same("the shape of the first summand and that of a number", start.shape, ())


sum_as: Primitive = linear(
    "sum_as",
    ("x",),
    lambda x, *, axes, dtype: np.add.reduce(x, axis=axes, dtype=dtype),
    lambda x, *, axes, dtype: result_spec(without(x.shape, axes), dtype),
    {"x": lambda g, x_spec, axes: spread(g, x_spec.shape, axes)},
    adds=True,
    params={"axes": AXES, "dtype": DTYPE},
    check=lambda x, *, axes, dtype: _check_sum(x, dtype),
    on_chunks=in_chunks.reduction("sum"),
    facts=Facts(fold=ADDED),
)
"""The sum along axes, computed in another dtype: NumPy converts as it goes, without an array in between."""


def _sum_where_spec(x: Spec, mask: Spec, *, axes: Axes, dtype: Any) -> Spec:
    return result_spec(without(x.shape, axes), dtype)


def _sum_selected(x: Any, mask: Any, start: Any, axes: Axes, dtype: Any) -> Any:
    """NumPy's own reduction; the arrays of other libraries know no mask and no start."""
    if isinstance(x, (np.ndarray, np.generic)):
        return np.add.reduce(x, axis=axes, dtype=dtype, where=mask, initial=start)
    return np.sum(x if mask is True else np.where(mask, x, 0), axis=axes, dtype=dtype) + start


sum_where: Primitive = linear(
    "sum_where",
    ("x", "mask"),
    lambda x, mask, *, axes, dtype: _sum_selected(x, mask, 0, axes, dtype),
    _sum_where_spec,
    {"x": lambda g, mask, x_spec, axes: masked(spread(g, x_spec.shape, axes), mask)},
    adds=True,
    params={"axes": AXES, "dtype": DTYPE},
    check=lambda x, mask, *, axes, dtype: _check_masked_sum(x, mask, None, dtype),
    on_chunks=in_chunks.sum_where,
    facts=Facts(each=True),
)
"""The sum along axes of the elements where the mask is true; the mask has the shape of ``x``."""


def _batch_sum_from(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    x, mask, start = values
    size = next(spec_of(v).shape[0] for v, is_batched in zip(values, batched, strict=True) if is_batched)
    if not batched[0]:
        x = broadcast_to(x, shape=(size, *spec_of(x).shape))
    if not batched[2]:
        return sum_from(x, mask, start, **params)
    summed = sum_from(x, mask, 0, **params)
    return summed + reshape(start, shape=(size, *(1,) * (len(spec_of(summed).shape) - 1)))


sum_from: Primitive = linear(
    "sum_from",
    ("x", "mask", "start"),
    lambda x, mask, start, *, axes, dtype: _sum_selected(x, mask, start, axes, dtype),
    lambda x, mask, start, *, axes, dtype: result_spec(without(x.shape, axes), dtype),
    {
        "x": lambda g, mask, x_spec, axes: masked(spread(g, x_spec.shape, axes), mask),
        "start": lambda g: sum_to(g, ()),
    },
    params={"axes": AXES, "dtype": DTYPE},
    check=lambda x, mask, start, *, axes, dtype: _check_masked_sum(x, mask, start, dtype),
    batch=_batch_sum_from,
    adds=True,
    on_chunks=in_chunks.sum_from,
    facts=Facts(each=True),
)
"""The number ``start`` plus the sum along axes of the elements where the mask, an array or True, is true."""


# Extremes.


def along(reduced: Any, shape: Shape, axes: Axes) -> Any:
    """What belongs to a reduction along ``axes`` of an array of a shape, so that it broadcasts against that."""
    return reshape(reduced, shape=with_ones(shape, axes))


def _extreme_share(x: Any, out: Any, axes: Axes) -> tuple[Any, Any]:
    """Where the extreme elements are, and how many: NaN where the extreme is NaN, and so the derivative."""
    chosen = logical_or(equal(x, along(out, spec_of(x).shape, axes)), isnan(x))
    count = cast(sum_axes(chosen, axes=axes), dtype=spec_of(out).dtype)
    return chosen, where(isnan(out), np.nan, count)


def _extreme_rule(g: Any, x: Any, out: Any, axes: Axes) -> Masked:
    """The cotangent in equal parts to all elements that are extreme."""
    if type(x) is np.ndarray and type(g) in PLAIN and type(out) in PLAIN and not np.isnan(out).any():
        chosen = x == (out if len(axes) == x.ndim else out.reshape(with_ones(x.shape, axes)))
        count = np.add.reduce(chosen, axis=axes, dtype=out.dtype)
        return masked(spread(g / count, x.shape, axes), chosen)
    chosen, count = _extreme_share(x, out, axes)
    return masked(spread(g / count, spec_of(x).shape, axes), chosen)


def _extreme_forward(tangents: Sequence[Any], values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
    chosen, count = _extreme_share(values[0], out, params["axes"])
    return sum_axes(where(chosen, tangents[0], 0), axes=params["axes"]) / count


def _extreme(name: str, function: Callable[..., Any], ufunc: np.ufunc, fold: Fold) -> Primitive:
    def spec(x: Spec, *, axes: Axes) -> Spec:
        if x.size == 0 and any(x.shape[k] == 0 for k in axes):
            raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
        return result_spec(without(x.shape, axes), native(x.dtype))

    return general(
        name,
        ("x",),
        lambda x, *, axes: function(x, axis=axes),
        spec,
        {"x": _extreme_rule},
        params={"axes": AXES},
        forward=_extreme_forward,
        on_chunks=in_chunks.reduction(name),
        facts=Facts(fold=fold, exact=True),
    )


max_axes = _extreme("max", np.max, np.maximum, LARGEST)
"""The largest element along axes. Equal ones share the derivative; at a NaN it is NaN."""

min_axes = _extreme("min", np.min, np.minimum, SMALLEST)
"""The smallest element along axes. Equal ones share the derivative; at a NaN it is NaN."""


# Products.


def _last(ndim: int, axes: Axes) -> Axes:
    """The permutation that brings axes to the end."""
    return (*(k for k in range(-ndim, 0) if k not in axes), *axes)


def merged(x: Any, axes: Axes) -> Any:
    """The array with the given axes as one, its last."""
    ndim = len(spec_of(x).shape)
    order = _last(ndim, axes)
    moved = x if order == tuple(range(-ndim, 0)) else transpose(x, axes=order)
    if len(axes) == 1:
        return moved
    rows = spec_of(moved).shape
    kept = ndim - len(axes)
    return reshape(moved, shape=(*rows[:kept], prod(rows[kept:])))


def _others(x: Any, axes: Axes) -> Any:
    """For each element the product of all others along the axes."""
    if len(axes) == 1:
        return products_of_others(x, axis=axes[0])
    shape = spec_of(x).shape
    order = _last(len(shape), axes)
    flat = products_of_others(merged(x, axes), axis=-1)
    return transpose(reshape(flat, shape=tuple(shape[k] for k in order)), axes=inverse_permutation(order))


def _prod_spec(x: Spec, *, axes: Axes) -> Spec:
    dtype = np.multiply.reduce(np.empty(0, x.dtype)).dtype if x.dtype.kind in "biu" else native(x.dtype)
    return result_spec(without(x.shape, axes), dtype)


def _prod_forward(tangents: Sequence[Any], values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
    axes = params["axes"]
    return sum_axes(tangents[0] * _others(values[0], axes), axes=axes)


prod_axes: Primitive = general(
    "prod",
    ("x",),
    lambda x, *, axes: np.multiply.reduce(x, axis=axes),
    _prod_spec,
    {"x": lambda g, x, axes: along(g, spec_of(x).shape, axes) * _others(x, axes)},
    params={"axes": AXES},
    forward=_prod_forward,
    on_chunks=in_chunks.reduction("prod"),
    facts=Facts(fold=MULTIPLIED, label="Prod"),
)
"""The product along axes. Its derivative multiplies and never divides, so that zeros are elements like others."""


# Truth and counting: no derivative.


def _to_dtype(dtype: Any) -> Callable[..., Spec]:
    return lambda x, *, axes: result_spec(without(x.shape, axes), dtype)


# fmt: off
any_axes   = general("any",   ("x",), lambda x, *, axes: np.any(x, axis=axes),                _to_dtype(bool), {},
                     params={"axes": AXES}, on_chunks=in_chunks.reduction("any"), facts=Facts(fold=ANY))
all_axes   = general("all",   ("x",), lambda x, *, axes: np.all(x, axis=axes),                _to_dtype(bool), {},
                     params={"axes": AXES}, on_chunks=in_chunks.reduction("all"), facts=Facts(fold=ALL))
xor_axes   = general("xor",   ("x",), lambda x, *, axes: np.logical_xor.reduce(x, axis=axes), _to_dtype(bool), {},
                     params={"axes": AXES}, on_gpu=reductions.xor)
# fmt: on


def _position_spec(x: Spec, *, axis: int) -> Spec:
    if x.shape[axis] == 0:
        raise ValueError("attempt to get the position of an extreme element of an empty sequence")
    return result_spec(without(x.shape, (axis,)), np.intp)


argmax = general(
    "argmax",
    ("x",),
    lambda x, *, axis: np.argmax(x, axis=axis),
    _position_spec,
    {},
    params={"axis": AXIS},
    on_chunks=in_chunks.position("argmax"),
    facts=Facts(each=True, new=True),
)
"""The position of the first largest element along one axis; no derivative."""

argmin = general(
    "argmin",
    ("x",),
    lambda x, *, axis: np.argmin(x, axis=axis),
    _position_spec,
    {},
    params={"axis": AXIS},
    on_chunks=in_chunks.position("argmin"),
    facts=Facts(each=True, new=True),
)
"""The position of the first smallest element along one axis; no derivative."""


def _root_rule(g: Any, out: Any) -> Any:
    if type(out) in PLAIN and out.all():
        return g / (out + out)
    nothing = equal(out, 0)
    return masked(g / (2 * where(nothing, 1, out)), logical_not(nothing))


root: Primitive = elementwise(
    "root",
    lambda x: np.sqrt(x),
    dtype=lambda x: np.sqrt(np.empty(0, x.dtype)).dtype,
    dx=_root_rule,
    facts=floating("sqrt(x)", nonnegative=True),
)
"""The square root of a sum of squares: at 0 the derivative is 0, the smallest subgradient of a length."""
